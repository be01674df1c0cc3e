import type { OverlayChassis, OverlayGateway, OverlayLayout } from '../../model/overlay.ts';
import { isLinkLocal6 } from '../../net/address.ts';
import { contains, overlaps, parseRange } from '../../net/address-range.ts';
import { escapeText } from '../../printable.ts';
import { isHost, isIpv6, macOf, rangeOf, withoutLength } from '../addresses.ts';

/*
 * A member announces its gateway in its own row of Chassis, which no other member may write. ovn-controller copies
 * `ovn-cms-options` of its node to this row, for the system that manages the cluster (ovn-controller(8)). The value is
 * a list, separated by commas; entries with the prefix `microshift-net:` announce a gateway.
 */
const prefix = 'microshift-net:';
/**
 * Largest number of entries by which a chassis may announce its gateway. A member could write any number of them, but
 * no gateway needs more than this.
 */
const maxEntries = 128;
/**
 * Largest length of the sentence that describes a fault, in characters. The longest valid value fits into such a
 * sentence.
 */
const maxFaultCharacters = 160;

type Key = 'kind' | 'network' | 'mac' | 'vip' | 'address' | 'next-hop' | 'vlan' | 'subnet';

/** Returns true for an entry of `ovn-cms-options` that announces a gateway. */
export function isAnnounced(entry: string): boolean {
  return entry.startsWith(prefix);
}

/** Returns the entries of `ovn-cms-options` by which a node announces its gateway. */
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

/** Gateway that a chassis announces, or the fault for which the announcement is rejected. */
export type Announced = { readonly gateway: OverlayGateway } | { readonly fault: string };

/**
 * Reads the gateway that a chassis announces; null if it announces none. A value that is invalid, is missing or occurs
 * too often is a fault, because a member is not trusted. Entries with an unknown key have no effect.
 */
export function announcedGateway(
  { cmsOptions = '', bridgeMappings = '' }: OverlayChassis,
  layout: OverlayLayout,
): Announced | null {
  const entries = cmsOptions.split(',').filter(isAnnounced);
  if (entries.length === 0) return null;
  if (entries.length > maxEntries)
    return { fault: `it has ${entries.length} entries, and at most ${maxEntries} are permitted` };
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
  if ([...kinds, ...networks, ...macs, ...vlans, ...vips].length > 0)
    return { fault: 'it has two entries where one is permitted' };
  if (kind !== 'shared' && kind !== 'dedicated') return refused(`"${kind}" is not a kind of gateway`);
  const bridge = bridgeOf(network, bridgeMappings);
  if (bridge === null) return refused(`its network "${network}" has no bridge on that node`);
  if (!isUnicastMac(mac)) return refused(`"${mac}" is not the MAC of a NIC`);
  const [addresses, nextHops, subnets] = [all('address'), all('next-hop'), all('subnet')];
  const fault =
    addressesFault(addresses, layout) ??
    nextHopsFault(nextHops, addresses) ??
    subnets.map((subnet) => subnetFault(subnet, layout)).find((one) => one !== null) ??
    (vip === undefined || (vip === 'yes' && mac === macOf(withoutLength(addresses[0] ?? '')))
      ? null
      : 'its MAC is not the one that moves with its address') ??
    (vlan === undefined || isVlan(vlan) ? null : `"${vlan}" is not a VLAN`);
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

/**
 * Returns a fault whose text is printable and limited in length: an administrator sees it, and it quotes text from
 * another node.
 */
function refused(fault: string): Announced {
  return { fault: escapeText(fault, maxFaultCharacters) };
}

/**
 * Returns the bridge to which a chassis maps a physical network (ovn-controller(8), ovn-bridge-mappings); null if it
 * has no such mapping, or the bridge has an invalid name.
 */
function bridgeOf(network: string, mappings: string): string | null {
  const [, bridge = ''] =
    mappings
      .split(',')
      .map((entry) => entry.split(':'))
      .find(([name]) => name === network) ?? [];
  return /^[A-Za-z0-9._-]{1,15}$/.test(bridge) && network !== '' ? bridge : null;
}

/**
 * Returns true for a unicast MAC in lower case that is not zero (IEEE 802: the lowest bit of the first byte marks a
 * group).
 */
function isUnicastMac(mac: string): boolean {
  return /^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$/.test(mac) && mac !== '00:00:00:00:00:00';
}

/** Returns true for a VLAN identifier; IEEE 802.1Q reserves 0 and 4095. */
function isVlan(text: string): boolean {
  return /^[1-9][0-9]{0,3}$/.test(text) && Number(text) < 4095;
}

/** Returns the fault of a gateway's addresses as a sentence; null if they are valid. */
export function addressesFault(addresses: readonly string[], layout: OverlayLayout): string | null {
  if (addresses.length === 0) return 'it has no address';
  if (isTwiceInFamily(addresses)) return `it has two addresses of one family, ${addresses.join(' and ')}`;
  const ranges = [...layout.clusterSubnets, ...layout.serviceSubnets, ...layout.joinSubnets];
  for (const text of addresses) {
    const range = parseRange(text);
    if (range === null || range.prefixLength === 0 || !isHost(withoutLength(text)) || isLinkLocal6(text))
      return `"${text}" is not an address of a gateway, with its length`;
    const own = parseRange(`${withoutLength(text)}/${range.family === 4 ? 32 : 128}`);
    const inside = ranges.find((subnet) => own !== null && overlaps(rangeOf(subnet), own));
    if (inside !== undefined) return `${text} is within ${inside} of the cluster itself`;
    if (!layout.clusterSubnets.some((subnet) => isIpv6(subnet) === isIpv6(text)))
      return `${text} is of a family that the cluster does not have`;
  }
  return null;
}

/** Returns the fault of a gateway's next hops as a sentence; null if they are valid. */
export function nextHopsFault(nextHops: readonly string[], addresses: readonly string[]): string | null {
  if (isTwiceInFamily(nextHops)) return `it has two next hops of one family, ${nextHops.join(' and ')}`;
  for (const hop of nextHops) {
    if (!isHost(hop)) return `"${hop}" is not an address of a router`;
    if (!addresses.some((address) => isIpv6(address) === isIpv6(hop))) return `it has no address for next hop ${hop}`;
    if (addresses.some((address) => withoutLength(address) === hop)) return `it is its own next hop, ${hop}`;
  }
  return null;
}

/** Returns the fault of a subnet that a gateway is to serve, as a sentence; null if it is valid. */
export function subnetFault(subnet: string, { clusterSubnets }: OverlayLayout): string | null {
  const range = parseRange(subnet);
  if (range?.canonical !== true) return `"${subnet}" is not a subnet`;
  const isInside = clusterSubnets.some((cluster) => contains(rangeOf(cluster), range));
  return isInside ? null : `${subnet} is not in ${clusterSubnets.join(' or ')}`;
}

function isTwiceInFamily(list: readonly string[]): boolean {
  return list.filter(isIpv6).length > 1 || list.filter((one) => !isIpv6(one)).length > 1;
}
