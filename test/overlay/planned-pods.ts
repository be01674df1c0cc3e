// Pods whose ports and groups the program's own planner has written, on real nodes.
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { connect } from '../../agent/drivers/ovsdb/index.ts';
import type { OverlayRecord } from '../../agent/model/overlay-record.ts';
import { macOf, withoutLength } from '../../agent/overlay/addresses.ts';
import { workloadTables } from '../../agent/overlay/rows/overlay-tables.ts';
import { indexRows } from '../../agent/overlay/rows/row-index.ts';
import { operationsOf } from '../../agent/overlay/rows/row-operations.ts';
import type { WorkloadFacts } from '../../agent/workload/part.ts';
import { allObjectKeys, planWorkload } from '../../agent/workload/plan-workload.ts';
import { readPolicy } from '../../agent/workload/policies/read-policy.ts';
import { emptyWorld, factsOf, namespaceOf, type PolicyWorld, podOf } from '../unit/workload/policies/world.ts';
import { readRows } from './central.ts';
import type { Host } from './hosts.ts';
import { type Pod, plugPod } from './services.ts';

/** Pods and policies of the cluster, and their rows. */
export interface PlannedPods {
  readonly world: PolicyWorld;
  /** Writes the rows for the objects, and waits until every node has the flows. */
  plan(): Promise<void>;
  /** Adds the object of a pod on a node, with its address. */
  add(key: string, node: string, address: string): void;
  /** Creates the interface of a pod. */
  plug(key: string, host: Host): Promise<Pod>;
}

/** Returns the pods of a cluster that has no pods yet. */
export async function podsOf(t: Test, central: Host): Promise<PlannedPods> {
  const { layout, members } = JSON.parse(
    readFileSync(central.path('/var/lib/microshift-net/overlay.json'), 'utf8'),
  ) as OverlayRecord;
  const northbound = await connect(central.path('/run/ovn/ovnnb_db.sock'), 60_000);
  t.teardown(() => northbound.close());
  const world = emptyWorld();
  return {
    world,
    plan: async () => {
      const facts: WorkloadFacts = { ...factsOf(layout, world), nodes: members ?? [] };
      const rows = await readRows(northbound, 'OVN_Northbound', workloadTables);
      const existing = indexRows(rows);
      const plan = planWorkload(facts, existing, rows.shape, allObjectKeys(facts, existing));
      await northbound.transact('OVN_Northbound', operationsOf(plan, rows.shape));
      central.must('ovn-nbctl', '--wait=hv', 'sync');
    },
    add: (key, node, address) => {
      const [namespace = ''] = key.split('/');
      world.namespaces.set(namespace, namespaceOf(namespace));
      world.pods.set(key, podOf(key, { nodeName: node }));
      world.addresses.set(key, [`${address}/24`]);
    },
    plug: (key, host) => {
      const address = withoutLength(world.addresses.get(key)?.[0] ?? '');
      const { uid = '' } = world.pods.get(key) ?? {};
      const port = key.replace('/', '_');
      return plugPod(host, { interface: port, port, uid, mac: macOf(address), address });
    },
  };
}

/** Puts a network policy into the world. */
export function setPolicy(world: PolicyWorld, key: string, spec: object): void {
  const [namespace, name] = key.split('/');
  world.policies.set(key, readPolicy({ metadata: { namespace, name }, spec }));
}
