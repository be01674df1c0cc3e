import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { leasedAddresses } from '../drivers/host/kernel/change-kernel-entries.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes } from '../drivers/host/kernel/routes.ts';
import { sshClient } from '../drivers/host/process/ssh-client.ts';
import type { Link, Route } from '../model/observation.ts';

/** Facts about this host from the kernel. */
export interface HostFacts {
  readonly hostname: string;
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  readonly hasMicroshift?: true;
}

/** Unit file of MicroShift in the directories of packages and administrators (systemd.unit(5)). */
const microshiftUnits = ['/usr/lib', '/etc'].map((folder) => `${folder}/systemd/system/microshift.service`);

/** Reads the name, links and routes of this host. */
export function readHost(): HostFacts {
  return {
    hostname: hostname(),
    links: readLinks(),
    routes: readRoutes(),
    ...(microshiftUnits.some((path) => existsSync(path)) && { hasMicroshift: true }),
  };
}

/**
 * Reads the host, the SSH client that started the command, and the leased addresses of a NIC; null `nic` skips the
 * leases.
 */
export async function readNic(nic: string | null): Promise<HostFacts & NicLeases> {
  return { ...readHost(), sshPeer: sshClient(), leased: nic === null ? [] : await leasedAddresses(nic) };
}

/** Facts that decide whether a NIC can be used for a gateway. */
interface NicLeases {
  readonly sshPeer: string | null;
  readonly leased: readonly string[];
}
