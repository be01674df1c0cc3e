import type { BondState } from './bond-state.ts';
import { type Link, nicDevice, type Observation } from './observation.ts';
import { stringsOf } from './profile-settings.ts';

/** A link that is a bond. */
export type BondLink = Link & { readonly bond: BondState };

/**
 * Returns the bonds that carry the traffic of a link: the link itself if it is a bond, and every bond below it, such as
 * the bond of a VLAN.
 */
export function bondsUnder(name: string, links: readonly Link[]): readonly BondLink[] {
  return links.filter((link): link is BondLink => link.bond !== undefined && isUnder(link, name, links));
}

function isUnder(link: Link, name: string, links: readonly Link[]): boolean {
  if (link.name === name) return true;
  const uppers = links.filter((upper) => link.uppers?.includes(upper.name) === true);
  return uppers.some((upper) => isUnder(upper, name, links));
}

/**
 * Returns the targets of a bond's ARP monitor if the monitor can probe none of them while `uplink` is in `bridge`; null
 * if the bond has no ARP monitor or can still probe a target. `uplink` is the bond or a link above it. The bonding
 * driver looks up the route to each target. It probes only if the route leads to the bond or to a device that the
 * kernel shows above the bond, such as a VLAN (bond_arp_send_all and bond_verify_device_path, bond_ns_send_all for
 * IPv6; Linux drivers/net/bonding/bond_main.c). For the kernel, an Open vSwitch bridge is not above its ports.
 * `deviceTo` returns the device of the route to an address.
 */
export function lostTargets(
  bond: BondLink,
  uplink: string,
  bridge: string,
  links: readonly Link[],
  deviceTo: (address: string) => string | null,
): readonly string[] | null {
  const { arpMonitor } = bond.bond;
  if (arpMonitor === null) return null;
  const moved = [uplink, bridge];
  const isProbed = (target: string): boolean => {
    const device = deviceTo(target);
    return device !== null && !moved.includes(device) && isUnder(bond, device, links);
  };
  return arpMonitor.targets.some(isProbed) ? null : arpMonitor.targets;
}

/**
 * Bond options that belong to the ARP monitor (bonding.rst). NetworkManager accepts either these or miimon
 * (nm-settings(5), bond.options).
 */
const arpOptions: readonly string[] = [
  'arp_interval',
  'arp_ip_target',
  'ns_ip6_target',
  'arp_validate',
  'arp_all_targets',
  'arp_missed_max',
];

/**
 * Returns an imperative sentence that says how to change a bond from ARP monitoring to MII monitoring. `quote` quotes a
 * word for a shell.
 */
export function miimonRemedy(name: string, observation: Observation, quote: (word: string) => string): string {
  const { activeConnections, profiles } = observation.networkManager;
  const active = activeConnections.find(({ path }) => path === nicDevice(name, observation)?.activeConnection);
  const profile = profiles.find(({ uuid }) => uuid === active?.uuid);
  const options = Object.entries(stringsOf(profile?.settings, 'bond', 'options'));
  if (profile === undefined || options.length === 0) return `watch ${name} by miimon in place of arp_interval`;
  const kept = options
    .filter(([option]) => !arpOptions.includes(option))
    .map(([option, value]) => `${option}=${value}`);
  const id = quote(profile.id);
  const text = quote([...kept, 'miimon=100'].join(','));
  return `watch ${name} by the state of its links: nmcli connection modify ${id} bond.options ${text} && nmcli connection up ${id}`;
}
