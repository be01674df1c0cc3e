import { hostname } from 'node:os';
import { leasedAddresses } from '../drivers/host/kernel/change-kernel-entries.ts';
import { readLinks } from '../drivers/host/kernel/links.ts';
import { readRoutes } from '../drivers/host/kernel/routes.ts';
import { sshClient } from '../drivers/host/process/ssh-client.ts';
import type { Link, Route } from '../model/observation.ts';
import { isMicroshiftInstalled } from './microshift-files.ts';

/** Facts about this host. `hasMicroshift` is absent if MicroShift is not installed. */
export interface HostFacts {
  readonly hostname: string;
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  readonly hasMicroshift?: true;
}

/** Reads the name, links and routes of this host, and whether MicroShift is installed. */
export function readHost(): HostFacts {
  return {
    hostname: hostname(),
    links: readLinks(),
    routes: readRoutes(),
    ...(isMicroshiftInstalled() && { hasMicroshift: true }),
  };
}

/**
 * Reads the facts about the host, the address of the SSH client that started the command, and the leased addresses of a
 * NIC. The list of leased addresses is empty if `nic` is null.
 */
export async function readNic(nic: string | null): Promise<HostFacts & NicLeases> {
  return { ...readHost(), sshPeer: sshClient(), leased: nic === null ? [] : await leasedAddresses(nic) };
}

/** Facts that decide whether a NIC can be used for a gateway. */
interface NicLeases {
  readonly sshPeer: string | null;
  readonly leased: readonly string[];
}
