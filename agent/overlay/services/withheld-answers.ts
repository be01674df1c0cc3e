import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRows } from '../../model/rows.ts';
import type { DesiredFlow } from '../../model/shared-bridge.ts';
import { isIpv6, isWithin, withoutLength } from '../addresses.ts';
import { indexRows, mapOf } from '../rows/row-index.ts';
import { announcedBy } from './announced-here.ts';
import { placeOf } from './inbound-services.ts';

/**
 * Cookie of the flows that drop a gateway's answers. It differs from that of the shared-bridge flows, so that each
 * group of flows is read and replaced without the other.
 */
export const withheldCookie = '0x6d6e6f766c7a';

/**
 * Priority of the flows that drop a gateway's answers, above that of every flow that forwards frames of the gateway on
 * the bridge.
 */
const priority = 250;

/**
 * Returns the service addresses on a gateway's LAN for which this gateway must not answer, sorted: addresses that
 * belong neither to the gateway nor to its node, and that the gateway does not announce in its row of Port_Binding
 * (announced-here.ts). OVN itself answers only for announced addresses. However, if an ovn-controller hangs, has
 * crashed or is disconnected, its flows stay in br-int, and the gateway would still answer for addresses that another
 * gateway has taken over.
 */
export function withheldAddresses(
  { clusterSubnets, serviceSubnets }: Pick<OverlayLayout, 'clusterSubnets' | 'serviceSubnets'>,
  { gateway, hostAddresses }: Pick<OverlayNode, 'gateway' | 'hostAddresses'>,
  rows: DatabaseRows,
): readonly string[] {
  if (gateway === null) return [];
  const answered = new Set([
    ...ownAddresses(gateway),
    ...hostAddresses,
    ...announcedBy(rows.tables.Port_Binding ?? []),
  ]);
  const inside = [...clusterSubnets, ...serviceSubnets];
  const isWithheld = (address: string): boolean =>
    !answered.has(address) &&
    gateway.addresses.some((own) => isIpv6(own) === isIpv6(address) && isWithin(address, own)) &&
    !inside.some((subnet) => isWithin(address, subnet));
  const found = indexRows(rows)
    .all('Load_Balancer')
    .flatMap((row) => Object.keys(mapOf(row, 'vips')).flatMap((key) => placeOf(key)?.address ?? []));
  return [...new Set(found)].filter(isWithheld).toSorted();
}

function ownAddresses({ addresses }: OverlayGateway): readonly string[] {
  return addresses.map(withoutLength);
}

/**
 * Returns the flows of a gateway's bridge that drop the gateway's answers for these addresses: ARP replies (RFC 826),
 * and solicited neighbour advertisements (RFC 4861 section 7.2.4), which are recognized by their unicast destination.
 * `port` is the bridge's port to br-int. Announcements of the daemon pass, because they are not answers.
 */
export function withheldFlows(port: number, addresses: readonly string[]): readonly DesiredFlow[] {
  return addresses.map((address) => {
    const answer = isIpv6(address)
      ? `icmp6,icmp_type=136,nd_target=${address},dl_dst=00:00:00:00:00:00/01:00:00:00:00:00`
      : `arp,arp_op=2,arp_spa=${address}`;
    return {
      flow: `table=0,priority=${priority},in_port=${port},${answer},actions=drop`,
      why: `another gateway answers for ${address}`,
    };
  });
}
