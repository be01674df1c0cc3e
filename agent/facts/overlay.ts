import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { leasedAddresses } from '../drivers/host/kernel-entries.ts';
import { readLinks } from '../drivers/host/links.ts';
import { readRoutes } from '../drivers/host/routes.ts';
import { sshClient } from '../drivers/host/ssh-client.ts';
import type { Link, Route } from '../model/observation.ts';

/** What the kernel tells of this host. */
export interface HostFacts {
  readonly hostname: string;
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  readonly hasMicroshift?: true;
}

/** Where packages and admins put unit files (systemd.unit(5)). */
const microshiftUnits = ['/usr/lib', '/etc'].map((folder) => `${folder}/systemd/system/microshift.service`);

/** Name, links and routes of this host, as they are now. */
export function readHost(): HostFacts {
  return {
    hostname: hostname(),
    links: readLinks(),
    routes: readRoutes(),
    ...(microshiftUnits.some((path) => existsSync(path)) && { hasMicroshift: true }),
  };
}

/** The same, with who runs this over SSH, and which addresses of a NIC are leased; null: no NIC is asked for. */
export async function readNic(nic: string | null): Promise<HostFacts & NicLeases> {
  return { ...readHost(), sshPeer: sshClient(), leased: nic === null ? [] : await leasedAddresses(nic) };
}

/** What else decides whether a NIC can be given away. */
interface NicLeases {
  readonly sshPeer: string | null;
  readonly leased: readonly string[];
}
