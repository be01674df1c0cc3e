import type { OverlayChassis, OverlayGateway, OverlayLayout } from '../model/overlay.ts';
import { isLinkLocal6 } from '../net/address.ts';
import { contains, overlaps, parseRange } from '../net/address-range.ts';
import { escapeText } from '../printable.ts';
import { isHost, isIpv6, macOf, rangeOf, withoutLength } from './addresses.ts';

/*
 * A node may write nothing of the central databases but its own chassis. ovn-controller copies `ovn-cms-options` of its node there, for whoever
 * manages the cluster (ovn-controller(8)): a list with commas, of which these entries are ours.
 */
const prefix = 'microshift-net:';
/** More entries than a gateway of any cluster of ours has; a chassis may say what it likes. */
const maxEntries = 128;
/** A sentence, with the longest thing that can be right in it. */
const maxFaultCharacters = 160;

type Key = 'kind' | 'network' | 'mac' | 'vip' | 'address' | 'next-hop' | 'vlan' | 'subnet';

/** True for an entry of `ovn-cms-options` that is ours. */
export function isAnnounced(entry: string): boolean {
  return entry.startsWith(prefix);
}

/** What a node says of its gateway, as entries of `ovn-cms-options`. */
export function announcement(gateway: OverlayGateway): readonly string[] {
  const { kind, physicalNetwork, mac, addresses, nextHops, vlan, subnets, isVip } = gateway;
  const facts: readonly (readonly [Key, readonly (string | number)[]])[] = [
    ['kind', [kind]],
    ['network', [physicalNetwork]],
    ['mac', [mac]],
    ['vip', isVip === true ? ['yes'] : []],
    ['address', addresses],
    ['next-hop', nextHops],
    ['vlan', vlan === null ? [] : [vlan]],
    ['subnet', subnets],
  ];
  return facts.flatMap(([key, values]) => values.map((value) => `${prefix}${key}=${value}`));
}

/** A gateway that a chassis has announced, or why it cannot be one. */
export type Announced = { readonly gateway: OverlayGateway } | { readonly fault: string };

/** Reads what a chassis announces; null: nothing. Whatever is not exactly as it may be makes it a fault, because a node is not trusted. */
export function announcedGateway(
  { cmsOptions = '', bridgeMappings = '' }: OverlayChassis,
  layout: OverlayLayout,
): Announced | null {
  const entries = cmsOptions.split(',').filter(isAnnounced);
  if (entries.length === 0) return null;
  if (entries.length > maxEntries) return { fault: `it says ${entries.length} things, and ${maxEntries} are the most` };
  const said = entries.map((entry): [string, string] => {
    const [, key = '', value = ''] = /^([^=]*)=(.*)$/.exec(entry.slice(prefix.length)) ?? [];
    return [key, value];
  });
  const all = (key: Key): readonly string[] => said.flatMap(([name, value]) => (name === key ? [value] : []));
  const [kind = '', ...kinds] = all('kind');
  const [network = '', ...networks] = all('network');
  const [mac = '', ...macs] = all('mac');
  const [vlan, ...vlans] = all('vlan');
  const [vip, ...vips] = all('vip');
  if ([...kinds, ...networks, ...macs, ...vlans, ...vips].length > 0) return { fault: 'it says one thing twice' };
  if (kind !== 'shared' && kind !== 'dedicated') return refused(`"${kind}" is no kind of gateway`);
  const bridge = bridgeOf(network, bridgeMappings);
  if (bridge === null) return refused(`its network "${network}" has no bridge there`);
  if (!isUnicastMac(mac)) return refused(`"${mac}" is no MAC of a NIC`);
  const [addresses, nextHops, subnets] = [all('address'), all('next-hop'), all('subnet')];
  const fault =
    addressesFault(addresses, layout) ??
    nextHopsFault(nextHops, addresses) ??
    subnets.map((subnet) => subnetFault(subnet, layout)).find((one) => one !== null) ??
    (vip === undefined || (vip === 'yes' && mac === macOf(withoutLength(addresses[0] ?? '')))
      ? null
      : 'its MAC is not that which moves with the address') ??
    (vlan === undefined || isVlan(vlan) ? null : `"${vlan}" is no VLAN`);
  if (fault !== null) return refused(fault);
  const gateway: OverlayGateway = {
    bridge,
    kind,
    interface: null,
    physicalNetwork: network,
    mac,
    addresses,
    nextHops,
    vlan: vlan === undefined ? null : Number(vlan),
    subnets,
    ...(vip === 'yes' && { isVip: true }),
    isUp: true,
  };
  return { gateway };
}

/** It is shown to who looks after the cluster, and names what somebody else has written. */
function refused(fault: string): Announced {
  return { fault: escapeText(fault, maxFaultCharacters) };
}

/** Where a network of a chassis leaves (ovn-controller(8), ovn-bridge-mappings); null: nowhere. */
function bridgeOf(network: string, mappings: string): string | null {
  const [, bridge = ''] =
    mappings
      .split(',')
      .map((entry) => entry.split(':'))
      .find(([name]) => name === network) ?? [];
  return /^[A-Za-z0-9._-]{1,15}$/.test(bridge) && network !== '' ? bridge : null;
}

/** A MAC in small letters that one NIC can have (IEEE 802: the lowest bit of the first byte marks a group). */
function isUnicastMac(mac: string): boolean {
  return /^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$/.test(mac) && mac !== '00:00:00:00:00:00';
}

/** IEEE 802.1Q: 0 and 4095 are reserved. */
function isVlan(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text) && Number(text) < 4095;
}

/** What is wrong with a gateway's addresses; null: nothing. */
export function addressesFault(addresses: readonly string[], layout: OverlayLayout): string | null {
  if (addresses.length === 0) return 'it has no address';
  if (isTwiceInFamily(addresses)) return `it has two addresses of one family, ${addresses.join(' and ')}`;
  const ranges = [...layout.clusterSubnets, ...layout.serviceSubnets, ...layout.joinSubnets];
  for (const text of addresses) {
    const range = parseRange(text);
    if (range === null || range.prefixLength === 0 || !isHost(withoutLength(text)) || isLinkLocal6(text))
      return `"${text}" is no address of a gateway, with its length`;
    const own = parseRange(`${withoutLength(text)}/${range.family === 4 ? 32 : 128}`);
    const inside = ranges.find((subnet) => own !== null && overlaps(rangeOf(subnet), own));
    if (inside !== undefined) return `${text} is within ${inside} of the cluster itself`;
    if (!layout.clusterSubnets.some((subnet) => isIpv6(subnet) === isIpv6(text)))
      return `${text} is of a family that the cluster does not have`;
  }
  return null;
}

/** What is wrong with where a gateway leads; null: nothing. */
export function nextHopsFault(nextHops: readonly string[], addresses: readonly string[]): string | null {
  if (isTwiceInFamily(nextHops)) return `it has two next hops of one family, ${nextHops.join(' and ')}`;
  for (const hop of nextHops) {
    if (!isHost(hop)) return `"${hop}" is no address of a router`;
    if (!addresses.some((address) => isIpv6(address) === isIpv6(hop))) return `it has no address for next hop ${hop}`;
    if (addresses.some((address) => withoutLength(address) === hop)) return `it is its own next hop, ${hop}`;
  }
  return null;
}

/** What is wrong with a subnet that shall leave by a gateway; null: nothing. */
export function subnetFault(subnet: string, { clusterSubnets }: OverlayLayout): string | null {
  const range = parseRange(subnet);
  if (range?.canonical !== true) return `"${subnet}" is no subnet`;
  const isInside = clusterSubnets.some((cluster) => contains(rangeOf(cluster), range));
  return isInside ? null : `${subnet} is not in ${clusterSubnets.join(' or ')}`;
}

function isTwiceInFamily(list: readonly string[]): boolean {
  return list.filter(isIpv6).length > 1 || list.filter((one) => !isIpv6(one)).length > 1;
}
