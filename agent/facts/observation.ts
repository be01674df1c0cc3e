import {
  isLoopback,
  type Link,
  type NetworkManagerFacts,
  type Observation,
  type OvsFacts,
} from '../model/observation.ts';
import { withForeignMarks, withoutListed } from './foreign.ts';

/** What can be seen without asking a daemon. */
export type HostObservation = Omit<Observation, 'networkManager' | 'ovs'>;

/** The observation that planning reads, put together from facts. `apply` and `doctor` both get it here, so neither judges another node. */
export function observationOf(host: HostObservation, networkManager: NetworkManagerFacts, ovs: OvsFacts): Observation {
  const { foreign: seen = [], ...rest } = host;
  const foreign = withoutListed(seen, networkManager, host.hints.addedBridges);
  const links = withForeignMarks(withPermanentMacs(host.links, networkManager), foreign);
  return { ...rest, links, ...(foreign.length === 0 ? {} : { foreign }), networkManager, ovs };
}

/** Permanent MACs, which the kernel tells only through calls that Node does not have: NetworkManager has asked already. */
function withPermanentMacs(links: readonly Link[], { devices }: NetworkManagerFacts): readonly Link[] {
  const macs = new Map(devices.map((device) => [device.interface, device.permanentHwAddress] as const));
  return links.map((link) => ({ ...link, permanentMac: macs.get(link.name) || null }));
}

/** MicroShift's script that makes its br-ex (openshift/microshift, packaging/systemd/configure-ovs.sh): 6,511 bytes from 4.14 to 5.1. */
export const microshiftScript = '/usr/bin/configure-ovs.sh';
/** MAC that the script gives br-ex; no other script has it. It is at byte 6,288. */
const microshiftMac = '0a:59:00:00:00:01';

/** Whether the script is MicroShift's own that makes br-ex without a NIC (4.14 and later): it is known by the MAC that it gives it. */
export function microshiftScriptFact(fileText: (path: string) => string | null): {
  readonly hasMicroShiftScript?: true;
} {
  return fileText(microshiftScript)?.includes(microshiftMac) === true ? { hasMicroShiftScript: true } : {};
}

/** Returns the fact that MicroShift itself is installed, regardless of which package configures its network. */
export function microshiftFact(hasProgram: (name: string) => boolean): { readonly hasMicroShift?: true } {
  return hasProgram('microshift') ? { hasMicroShift: true } : {};
}

/** Said only where it is there. */
export function signpostFact(hasSignpost: boolean): { readonly signpost?: true } {
  return hasSignpost ? { signpost: true } : {};
}

/** Returns the links that are not ports and on which the kernel itself applies router advertisements. */
export function kernelIpv6Fact(
  links: readonly Link[],
  takesAdvertisements: (name: string) => boolean,
): { readonly kernelIpv6?: readonly string[] } {
  const free = links.filter((link) => link.master === null && !isLoopback(link)).map(({ name }) => name);
  const kernelIpv6 = free.filter(takesAdvertisements);
  return kernelIpv6.length === 0 ? {} : { kernelIpv6 };
}

/** Said only where it is missing: nothing but the userspace data path asks for it. */
export function tunFact(hasTun: boolean): { readonly lacksTun?: true } {
  return hasTun ? {} : { lacksTun: true };
}

/** Present only if it is missing: nothing but the kernel's data path needs it. */
export function kernelDatapathFact(module: string): { readonly lacksKernelDatapath?: true } {
  return module === 'missing' ? { lacksKernelDatapath: true } : {};
}

/** Programs without which NetworkManager cannot start a device again: teamd for a team. */
export function missingPrograms(hasProgram: (name: string) => boolean): readonly string[] {
  return ['teamd'].filter((name) => !hasProgram(name));
}
