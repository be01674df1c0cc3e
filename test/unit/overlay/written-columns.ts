// Every column that plans write, collected from plans for clusters of all kinds.

import type { DatabaseRows, RowPlan } from '../../../agent/model/rows.ts';
import { planCentral } from '../../../agent/overlay/cluster/central.ts';
import { planLocal } from '../../../agent/overlay/local/local.ts';
import { planLocalTls } from '../../../agent/overlay/local/local-tls.ts';
import { planNorthbound } from '../../../agent/overlay/plan-northbound.ts';
import { readPolicy } from '../../../agent/workload/policies/read-policy.ts';
import { emptyWorld, namespaceOf, podOf, factsOf as policyFacts } from '../workload/policies/world.ts';
import { factsFor, planAll, serviceObject, sliceObject } from '../workload/services/facts.ts';
import { applied, dedicatedNic, emptyNorthbound, gatewayOf, modern, nodeOf, recordedShape, seed } from './cluster.ts';
import { ModelDatabase } from './model-database.ts';
import { caseNames, readCase } from './northbound-cases.ts';
import { emptyVswitch } from './vswitch.ts';

const tls = { privateKey: '/pki/node.pem', certificate: '/pki/node.pem', caCertificate: '/pki/ca.crt' };

/** Returns `DATABASE.TABLE.COLUMN` for each column. */
export function writtenColumns(): ReadonlySet<string> {
  const written = new Set<string>();
  const add = ({ database, changes }: RowPlan): void => {
    for (const change of changes) {
      const { do: what, table } = change;
      const columns =
        what === 'insert'
          ? Object.keys(change.row)
          : what === 'update'
            ? change.columns.map(({ column }) => column)
            : [];
      for (const column of columns) written.add(`${database}.${table}.${column}`);
      if (what !== 'update' && change.place !== null)
        written.add(`${database}.${change.place.table}.${change.place.column}`);
    }
  };
  for (const name of caseNames().filter((one) => !one.startsWith('refused'))) add(planNorthbound(readCase(name).facts));
  add(ofCentral());
  add(ofWorkload());
  for (const rows of [emptyVswitch().rows()]) for (const plan of ofNode(rows)) add(plan);
  return written;
}

/** Plans the rows of a pod, of a policy that selects it, and of a service with the pod as endpoint. */
function ofWorkload(): RowPlan {
  const database = emptyNorthbound();
  applied(database);
  const world = emptyWorld();
  world.namespaces.set('x', namespaceOf('x'));
  world.pods.set('x/a', podOf('x/a'));
  world.addresses.set('x/a', ['10.42.1.3/24']);
  const spec = { podSelector: {}, ingress: [{}], egress: [{}] };
  world.policies.set('x/all', readPolicy({ metadata: { namespace: 'x', name: 'all' }, spec }));
  const services = factsFor(
    [serviceObject('a', { sessionAffinity: 'ClientIP' }), sliceObject('a', [['10.42.1.3', 'n1']])],
    [nodeOf(1)],
  );
  const facts = policyFacts(modern, world);
  const { services: served, slices } = services.workload;
  return planAll(
    { ...facts, nodes: services.nodes, workload: { ...facts.workload, services: served, slices } },
    database.rows(),
  );
}

function ofCentral(): RowPlan {
  const database = new ModelDatabase('OVN_Southbound', recordedShape('OVN_Southbound 23.03'));
  database.transact([{ op: 'insert', table: 'SB_Global', row: {}, 'uuid-name': 'root' }]);
  const connections = [{ target: 'pssl:6642:192.0.2.1', role: 'ovn-controller', inactivityProbeMs: 60_000 }] as const;
  return planCentral({ owner: 'microshift-net', connections, tls, rows: database.rows() });
}

function ofNode(rows: DatabaseRows): readonly RowPlan[] {
  const gateways = [gatewayOf(1), gatewayOf(1, dedicatedNic)];
  const southbound = ['ssl:192.0.2.1:6642'];
  return [modern, seed].flatMap((layout) =>
    gateways.map((gateway) => {
      const node = nodeOf(1, { gateway });
      const plan = planLocal({ layout, node, southbound, northbound: [], datapathType: 'netdev', rows });
      return { ...plan, changes: [...plan.changes, ...planLocalTls(rows, tls, layout.owner)] };
    }),
  );
}
