import type { BondState } from './bond-state.ts';
import { type Link, nicDevice, type Observation } from './observation.ts';
import { stringsOf } from './settings.ts';

/** A link that is a bond. */
export type BondLink = Link & { readonly bond: BondState };

/** The bonds that a link sends through: itself, and what a VLAN is on. */
export function bondsUnder(name: string, links: readonly Link[]): readonly BondLink[] {
  return links.filter((link): link is BondLink => link.bond !== undefined && isUnder(link, name, links));
}

function isUnder(link: Link, name: string, links: readonly Link[]): boolean {
  if (link.name === name) return true;
  const uppers = links.filter((upper) => link.uppers?.includes(upper.name) === true);
  return uppers.some((upper) => isUnder(upper, name, links));
}

/**
 * Targets of a bond's ARP monitor that it cannot probe while its link `uplink` is in `bridge`; null: it has no such monitor, or another target is left.
 * The bonding driver asks for the route to each target, and sends only where it leads to the bond or to what the kernel shows above it, VLANs for
 * example (bond_arp_send_all and bond_verify_device_path, bond_ns_send_all for IPv6; Linux drivers/net/bonding/bond_main.c). A bridge of Open vSwitch is
 * not above its ports. `deviceTo`: the device of the route to an address.
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

/** Options of a bond that belong to its ARP monitor (bonding.rst); NetworkManager takes them or miimon, not both (nm-settings(5), bond.options). */
const arpOptions: readonly string[] = [
  'arp_interval',
  'arp_ip_target',
  'ns_ip6_target',
  'arp_validate',
  'arp_all_targets',
  'arp_missed_max',
];

/** How a bond is watched by the state of its links in place of an ARP monitor, as an imperative sentence. `quote` makes a word for a shell. */
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
