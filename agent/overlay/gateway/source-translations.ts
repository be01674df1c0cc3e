import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { RowReference } from '../../model/rows.ts';
import { sameFamily, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { is } from '../rows/column-changes.ts';
import type { DesiredRows, PlannedRow } from '../rows/desired-rows.ts';
import { addTranslation } from './uplink-rows.ts';

/**
 * Plans the source NAT by which packets leave with the gateway's address: one NAT row for each subnet of the cluster,
 * for the gateway router's own addresses on the join switch (layout `modern`), and for each subnet of `untranslated`.
 * A later plan finds these rows by their content. `untranslated` has the subnets whose packets keep their source on the
 * way to some destinations, each with the address set of these destinations.
 */
export function addTranslations(
  desired: DesiredRows,
  layout: OverlayLayout,
  one: {
    readonly node: OverlayNode;
    readonly gateway: OverlayGateway;
    readonly router: PlannedRow;
    readonly joinAddresses: readonly string[];
  },
  untranslated: ReadonlyMap<string, RowReference>,
): void {
  const { node, gateway, router, joinAddresses } = one;
  const inside = new Set([
    ...layout.clusterSubnets,
    ...(traitsOf(layout).translatesJoinAddress ? joinAddresses.map(withoutLength) : []),
    ...untranslated.keys(),
  ]);
  for (const logical of inside) {
    const external = sameFamily(gateway.addresses, logical);
    const set = untranslated.get(logical);
    const except = set === undefined ? '' : ', except packets whose source is kept';
    const why = `packets from ${logical} leave the cluster with the address of the gateway ${node.name}${except}`;
    // A node's subnet can be a whole subnet of the cluster, which always has a NAT row. An earlier plan may have set
    // exempted_ext_ips in this row, so the plan empties the column if the subnet is not in `untranslated` any more.
    const hasSet = set !== undefined || node.subnets.includes(logical);
    const columns = hasSet ? { exempted_ext_ips: is(set === undefined ? [] : [set]) } : {};
    if (external !== null) addTranslation(desired, router, logical, external, node.name, why, columns);
  }
}
