import type { NoRouteState, OutsideRoute, OutsideRoutes } from '../../model/outside-routes.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { contains } from '../../net/address-range.ts';
import { isIpv6, rangeOf, sameFamily, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';

/**
 * Returns the routes by which outside clients reach the pods of each node through that node's gateway, and the subnets
 * to which no route leads. No route leads to a subnet if the gateway would not let the packets in, or if the answers of
 * the pods would not leave by the gateway.
 */
export function outsideRoutes(layout: Pick<OverlayLayout, 'naming'>, members: readonly OverlayNode[]): OutsideRoutes {
  const found = members.flatMap((member) =>
    member.subnets.map((destination) => routeTo(destination, member, layout, members)),
  );
  return {
    routes: found.flatMap((one) => ('nextHop' in one ? [one] : [])),
    withoutRoute: found.flatMap((one) => ('state' in one ? [one] : [])),
  };
}

function routeTo(
  destination: string,
  member: OverlayNode,
  layout: Pick<OverlayLayout, 'naming'>,
  members: readonly OverlayNode[],
): OutsideRoute | OutsideRoutes['withoutRoute'][number] {
  const { name: node, gateway, outsideClients = [] } = member;
  const none = (state: NoRouteState) => ({ node, destination, state });
  if (!traitsOf(layout).servesOutsideClients) return none('old-layout');
  if (gateway === null) return none('no-gateway');
  if (gateway.isVip === true) return none('shared-address');
  if (members.some((other) => other.name !== node && letsOut(other, destination))) return none('other-gateway');
  if (!gateway.isUp) return none('gateway-down');
  const address = sameFamily(gateway.addresses, destination);
  if (address === null) return none('no-address');
  const clients = outsideClients.filter((range) => isIpv6(range) === isIpv6(destination));
  if (clients.length === 0) return none('no-clients');
  return { node, destination, nextHop: withoutLength(address), clients };
}

/**
 * Returns true if packets from a subnet leave the cluster by the gateway of this member because the subnet was
 * requested for that gateway.
 */
function letsOut({ gateway }: OverlayNode, subnet: string): boolean {
  if (gateway === null || !gateway.isUp) return false;
  return gateway.subnets.some((given) => contains(rangeOf(given), rangeOf(subnet)));
}
