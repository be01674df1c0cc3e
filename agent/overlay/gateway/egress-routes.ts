import { isIpv6, isWithin, sameFamily, subnetOf, withoutLength } from '../addresses.ts';
import type { Cluster } from '../cluster/cluster-rows.ts';
import { keys } from '../rows/column-changes.ts';
import type { DesiredRows } from '../rows/desired-rows.ts';
import { addNamelessRow } from '../rows/nameless-rows.ts';
import { listOf, mapOf, textOf } from '../rows/row-index.ts';
import { tagKeys } from '../rows/tag-keys.ts';
import { nodeTag } from '../rows/tags.ts';
import type { GatewayRouter } from './gateway-router.ts';
import { isAnyUp, type Vip } from './vip.ts';

const table = 'Logical_Router_Static_Route';
const column = 'static_routes';

/**
 * Plans the routes that decide by which gateway the packets of a subnet leave; a gateway that is down is not used. The
 * first possible choice of this list applies: the gateway that was requested for the subnet; the gateway of the
 * subnet's own node; a VIP, if one of its nodes answers; all gateways, in equal shares (ECMP).
 */
export function addEgressRoutes(
  desired: DesiredRows,
  cluster: Cluster,
  gateways: readonly GatewayRouter[],
  vips: readonly Vip[],
  leaving: readonly string[],
): void {
  const asked = new Set([
    ...askedFor(desired, cluster, gateways, leaving),
    ...vips.flatMap(({ nodes }) => nodes.flatMap(({ gateway }) => gateway?.subnets ?? [])),
  ]);
  for (const one of gateways) {
    const { node, gateway, joinAddresses } = one;
    for (const address of joinAddresses.map(withoutLength))
      route(
        desired,
        cluster,
        one,
        '',
        address,
        address,
        `packets to ${address} go to ${one.router.title}, which has this address`,
      );
    if (!gateway.isUp) {
      desired.trace.push(`egress=${node.name} is down`);
      continue;
    }
    const own = node.subnets.filter((subnet) => !asked.has(subnet) || gateway.subnets.includes(subnet));
    for (const subnet of new Set([...own, ...gateway.subnets])) {
      const hop = sameFamily(joinAddresses, subnet);
      if (hop === null) continue;
      const why = gateway.subnets.includes(subnet) ? 'as requested' : "the gateway of the subnet's own node";
      desired.trace.push(`egress=${subnet} by ${node.name}, ${why}`);
      const reason = `packets from ${subnet} leave by ${node.name}, ${why}`;
      route(desired, cluster, one, 'src-ip', subnet, withoutLength(hop), reason);
    }
    for (const address of joinAddresses.map(withoutLength)) {
      if (vips.some((one) => isAnyUp(one) && sameFamily(one.gateway.nextHops, address) !== null)) continue;
      const all = isIpv6(address) ? '::/0' : '0.0.0.0/0';
      const why = `packets of nodes without a gateway leave by any gateway, and ${node.name} is one`;
      route(desired, cluster, one, '', all, address, why);
    }
  }
  removeDeadEnds(desired, cluster, gateways);
}

/**
 * Returns the subnets that were requested for a gateway that is up. Gateways of nodes that are not in this plan are
 * included.
 */
function askedFor(
  desired: DesiredRows,
  { layout, router }: Cluster,
  gateways: readonly GatewayRouter[],
  leaving: readonly string[],
): ReadonlySet<string> {
  const planned = new Set([...gateways.map(({ node }) => node.name), ...leaving]);
  const others = desired.existing.referred(router.existing, column, table).filter((row) => {
    const node = nodeTag(row, layout.owner);
    return node !== null && !planned.has(node) && tagKeys.asked in mapOf(row, 'external_ids');
  });
  const wanted = gateways.filter(({ gateway }) => gateway.isUp).flatMap(({ gateway }) => gateway.subnets);
  return new Set([...wanted, ...others.map((row) => textOf(row, 'ip_prefix'))]);
}

function route(
  desired: DesiredRows,
  { router }: Cluster,
  { node, gateway }: GatewayRouter,
  policy: '' | 'src-ip',
  prefix: string,
  nextHop: string,
  why: string,
): void {
  const isAsked = policy === 'src-ip' && gateway.subnets.includes(prefix);
  addNamelessRow(desired, {
    table,
    title: `${router.title}: ${policy === '' ? '' : 'from '}${prefix} via ${nextHop}`,
    holder: router,
    column,
    key: { ip_prefix: prefix, nexthop: nextHop, policy },
    columns: {
      external_ids: isAsked ? keys({ [tagKeys.asked]: 'yes' }) : { keys: {}, without: [tagKeys.asked] },
    },
    node: node.name,
    why,
  });
}

/**
 * Plans the removal of default routes whose next hop is an address of the join subnet that no router has. All default
 * routes of ovn-kubernetes of 2017 led to 100.64.1.2, the address of one gateway.
 */
function removeDeadEnds(
  desired: DesiredRows,
  { router, joinAddresses }: Cluster,
  gateways: readonly GatewayRouter[],
): void {
  const there = [
    ...desired.existing.all('Logical_Router_Port').flatMap((row) => listOf(row, 'networks').map(String)),
    ...gateways.flatMap(({ joinAddresses }) => joinAddresses),
  ].map(withoutLength);
  for (const row of desired.existing.referred(router.existing, column, table)) {
    const nextHop = textOf(row, 'nexthop');
    const isDefault = ['0.0.0.0/0', '::/0'].includes(textOf(row, 'ip_prefix'));
    const isJoin = joinAddresses.some((address) => isWithin(nextHop, subnetOf(address)));
    if (isDefault && isJoin && !there.includes(nextHop))
      desired.remove(table, row, `${router.title}: default via ${nextHop}`, `no gateway has the address ${nextHop}`);
  }
}
