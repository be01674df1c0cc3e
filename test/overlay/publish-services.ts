// Writes the rows of services as the central node's daemon does, without a daemon.
import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayLayout, OverlayNode } from '../../agent/model/overlay.ts';
import { workloadTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { gatewayOf, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { type ApiObject, factsFor, planAll } from '../unit/workload/services/facts.ts';
import { readRows } from './central.ts';
import type { Host } from './hosts.ts';

/** Two nodes, the second of which is a gateway. */
const twoNodes: readonly OverlayNode[] = [
  nodeOf(1, { subnets: ['10.42.0.0/24'] }),
  nodeOf(2, { subnets: ['10.42.1.0/24'], gateway: gatewayOf(2) }),
];

/**
 * Writes the rows that these objects of the API need on these nodes into OVN_Northbound; waits for every
 * ovn-controller. Returns the number of operations.
 */
export async function publish(
  central: Host,
  objects: readonly ApiObject[],
  nodes: readonly OverlayNode[] = twoNodes,
  layout: OverlayLayout = modern,
): Promise<number> {
  const client = await connect(central.path('/run/ovn/ovnnb_db.sock'), 15_000);
  let count = 0;
  try {
    const rows = await readRows(client, 'OVN_Northbound', workloadTables);
    const operations = operationsOf(planAll(factsFor(objects, nodes, layout), rows), rows.shape);
    count = operations.length;
    if (count > 0) await client.transact('OVN_Northbound', operations);
  } finally {
    client.close();
  }
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  return count;
}
