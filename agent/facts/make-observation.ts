import {
  isLoopback,
  type Link,
  type NetworkManagerFacts,
  type Observation,
  type OvsFacts,
} from '../model/observation.ts';
import { withForeignMarks, withoutListed } from './foreign.ts';

/** Observation without the facts about NetworkManager and Open vSwitch. */
export type HostObservation = Omit<Observation, 'networkManager' | 'ovs'>;

/**
 * Returns the observation from which plans are made. `apply` and `doctor` both use this function, so that they evaluate
 * the node in the same way.
 */
export function observationOf(host: HostObservation, networkManager: NetworkManagerFacts, ovs: OvsFacts): Observation {
  const { foreign: seen = [], ...rest } = host;
  const foreign = withoutListed(seen, networkManager, host.hints.addedBridges);
  const links = withForeignMarks(withPermanentMacs(host.links, networkManager), foreign);
  return { ...rest, links, ...(foreign.length === 0 ? {} : { foreign }), networkManager, ovs };
}

/**
 * Adds the permanent MACs. The kernel returns them only through calls that Node.js does not have; NetworkManager has
 * already made these calls.
 */
function withPermanentMacs(links: readonly Link[], { devices }: NetworkManagerFacts): readonly Link[] {
  const macs = new Map(devices.map((device) => [device.interface, device.permanentHwAddress] as const));
  return links.map((link) => ({ ...link, permanentMac: macs.get(link.name) || null }));
}

/**
 * MicroShift's script that makes its br-ex (openshift/microshift, packaging/systemd/configure-ovs.sh, the same from
 * 4.14 to 5.1).
 */
export const microshiftScript = '/usr/bin/configure-ovs.sh';
/** MAC that only MicroShift's configure-ovs.sh sets on br-ex. */
const microshiftMac = '0a:59:00:00:00:01';

/**
 * Returns the field `hasMicroShiftScript` if MicroShift's script for br-ex is installed in the version that makes br-ex
 * without a NIC (4.14 and later), otherwise an empty object. The version is recognized by the MAC that the script sets.
 */
export function microshiftScriptFact(fileText: (path: string) => string | null): {
  readonly hasMicroShiftScript?: true;
} {
  return fileText(microshiftScript)?.includes(microshiftMac) === true ? { hasMicroShiftScript: true } : {};
}

/**
 * Returns the field `hasMicroShift` if MicroShift is installed, whichever package configures its network; otherwise an
 * empty object.
 */
export function microshiftFact(hasProgram: (name: string) => boolean): { readonly hasMicroShift?: true } {
  return hasProgram('microshift') ? { hasMicroShift: true } : {};
}

/** Returns the field `signpost` if the signpost (model/signpost.ts) exists, otherwise an empty object. */
export function signpostFact(hasSignpost: boolean): { readonly signpost?: true } {
  return hasSignpost ? { signpost: true } : {};
}

/**
 * Returns the field `kernelIpv6` with the names of links that are not ports and on which the kernel itself applies
 * router advertisements. The link lo is left out. Returns an empty object if no such link exists.
 */
export function kernelIpv6Fact(
  links: readonly Link[],
  takesAdvertisements: (name: string) => boolean,
): { readonly kernelIpv6?: readonly string[] } {
  const free = links.filter((link) => link.master === null && !isLoopback(link)).map(({ name }) => name);
  const kernelIpv6 = free.filter(takesAdvertisements);
  return kernelIpv6.length === 0 ? {} : { kernelIpv6 };
}

/**
 * Returns the field `lacksTun` if /dev/net/tun, which only the userspace data path needs, is missing; otherwise an
 * empty object.
 */
export function tunFact(hasTun: boolean): { readonly lacksTun?: true } {
  return hasTun ? {} : { lacksTun: true };
}

/**
 * Returns the field `lacksKernelDatapath` if the module openvswitch, which only the kernel data path needs, is missing;
 * otherwise an empty object.
 */
export function kernelDatapathFact(module: string): { readonly lacksKernelDatapath?: true } {
  return module === 'missing' ? { lacksKernelDatapath: true } : {};
}

/** Returns the missing programs that NetworkManager needs to start a device again: teamd for a team. */
export function missingPrograms(hasProgram: (name: string) => boolean): readonly string[] {
  return ['teamd'].filter((name) => !hasProgram(name));
}
