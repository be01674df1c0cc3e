// Writes the rows of services as the central node's daemon does, without a daemon.
import { connect } from '../../agent/drivers/ovsdb/index.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import { gatewayOf, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { type ApiObject, factsFor, planAll } from '../unit/workload/services/facts.ts';
import { readRows } from './central.ts';
import type { Host } from './hosts.ts';

/**
 * Writes the rows that these objects of the API need on two nodes, the second of which is a gateway, into
 * OVN_Northbound; waits for every ovn-controller.
 */
export async function publish(central: Host, objects: readonly ApiObject[]): Promise<void> {
  const nodes = [
    nodeOf(1, { subnets: ['10.42.0.0/24'] }),
    nodeOf(2, { subnets: ['10.42.1.0/24'], gateway: gatewayOf(2) }),
  ];
  const client = await connect(central.path('/run/ovn/ovnnb_db.sock'), 15_000);
  try {
    const rows = await readRows(client);
    const operations = operationsOf(planAll(factsFor(objects, nodes, modern), rows), rows.shape);
    if (operations.length > 0) await client.transact('OVN_Northbound', operations);
  } finally {
    client.close();
  }
  central.must('ovn-nbctl', '--wait=hv', 'sync');
}
