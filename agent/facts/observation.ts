import type { Link, NetworkManagerFacts, Observation, OvsFacts } from '../model/observation.ts';

/** What can be seen without asking a daemon. */
export type HostObservation = Omit<Observation, 'networkManager' | 'ovs'>;

/** The observation that planning reads, put together from facts. `apply` and `doctor` both get it here, so neither judges another node. */
export function observationOf(host: HostObservation, networkManager: NetworkManagerFacts, ovs: OvsFacts): Observation {
  return { ...host, links: withPermanentMacs(host.links, networkManager), networkManager, ovs };
}

/** Permanent MACs, which the kernel tells only through calls that Node does not have: NetworkManager has asked already. */
function withPermanentMacs(links: readonly Link[], { devices }: NetworkManagerFacts): readonly Link[] {
  const macs = new Map(devices.map((device) => [device.interface, device.permanentHwAddress] as const));
  return links.map((link) => ({ ...link, permanentMac: macs.get(link.name) || null }));
}

/** Programs without which NetworkManager cannot start a device again: teamd for a team. */
export function missingPrograms(hasProgram: (name: string) => boolean): readonly string[] {
  return ['teamd'].filter((name) => !hasProgram(name));
}
