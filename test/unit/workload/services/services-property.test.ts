// Random services and slices that are changed and damaged: one plan repairs the rows, and a second plan is empty.
import t from 'tap';
import type { OverlayLayout } from '../../../../agent/model/overlay.ts';
import { applied, dual, dualNode, emptyNorthbound, gatewayOf, modern, nodeOf, seed } from '../../overlay/cluster.ts';
import type { ModelDatabase } from '../../overlay/model-database.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { type ApiObject, applyAll, factsFor, planAll, serviceObject, sliceObject } from './facts.ts';

type Random = ReturnType<typeof seededRandom>;

const runs = 20;
const layouts: readonly OverlayLayout[] = [modern, dual, { ...seed, clusterSubnets: ['10.42.0.0/16'] }];
const protocols = ['TCP', 'UDP', 'SCTP'];

function randomObjects(random: Random): readonly ApiObject[] {
  return Array.from({ length: random(5) }, (_, index): readonly ApiObject[] => {
    const name = `service-${random(6)}`;
    const ports = Array.from({ length: 1 + random(3) }, (_port, number) => ({
      name: `port-${number}`,
      port: 80 + number,
      protocol: protocols[random(3)],
      ...(random(2) === 0 && { nodePort: 30_000 + 10 * index + number }),
    }));
    const policy = (): string => (random(3) === 0 ? 'Local' : 'Cluster');
    const spec = {
      ports,
      clusterIPs: random(5) === 0 ? ['None'] : [`10.43.0.${index}`, ...(random(2) === 0 ? [`fd02::${index}`] : [])],
      externalIPs: random(3) === 0 ? ['203.0.113.5', '2001:db8:ffff::5'] : [],
      ...(random(2) === 0 && { loadBalancerSourceRanges: ['198.51.100.0/24', '2001:db8::/32'].slice(random(3)) }),
      externalTrafficPolicy: policy(),
      internalTrafficPolicy: policy(),
      sessionAffinity: random(3) === 0 ? 'ClientIP' : 'None',
    };
    const slice = (number: number): ApiObject => {
      const isSix = random(3) === 0;
      return sliceObject(
        name,
        Array.from({ length: random(4) }, () => {
          const [node, place] = [1 + random(3), 3 + random(9)];
          const ready = random(3) > 0;
          const conditions = { ready, serving: ready || random(2) === 0, terminating: random(2) === 0 };
          return [isSix ? `fd01:0:0:${node}::${place}` : `10.42.${node}.${place}`, `n${node}`, conditions] as const;
        }),
        {
          name: `${name}-${number}`,
          addressType: isSix ? 'IPv6' : 'IPv4',
          ports: ports.map((port) => ({ name: port.name, protocol: port.protocol, port: 8000 + random(3) })),
        },
      );
    };
    const ingress = [{ ip: `203.0.113.${100 + random(4)}` }, { ip: '2001:db8:ffff::9' }].slice(random(3));
    return [
      serviceObject(name, spec, { loadBalancer: { ingress } }),
      ...Array.from({ length: random(4) }, (_slice, number) => slice(number)),
    ];
  }).flat();
}

/** Removes a load balancer or changes one of its columns, as another program could. */
function damage(random: Random, database: ModelDatabase): void {
  const rows = database.rows().tables.Load_Balancer ?? [];
  const row = rows[random(rows.length)];
  if (row === undefined) return;
  const where = [['_uuid', '==', ['uuid', row._uuid]]] as const;
  if (random(3) === 0) database.transact([{ op: 'delete', table: 'Load_Balancer', where }]);
  else
    database.transact([
      {
        op: 'mutate',
        table: 'Load_Balancer',
        where,
        mutations: [[random(2) === 0 ? 'vips' : 'options', 'insert', ['map', [['192.0.2.99:1', '10.42.1.99:1']]]]],
      },
    ]);
}

t.test('one plan repairs every change and loss, and a second one has nothing to do', (t) => {
  let most = 0;
  for (let number = 0; number < runs; number += 1) {
    const random = seededRandom(number);
    const layout = layouts[random(layouts.length)] ?? modern;
    const database = emptyNorthbound(random(2) === 0 ? '23.03' : '26.03');
    try {
      for (let step = 0; step < 4; step += 1) {
        const nodes = Array.from({ length: 1 + random(3) }, (_, index) =>
          (layout === dual ? dualNode : nodeOf)(index + 1, { gateway: random(2) === 0 ? gatewayOf(index + 1) : null }),
        );
        applied(database, { layout, nodes, centralNode: 'central' });
        const facts = factsFor(randomObjects(random), nodes, layout);
        applyAll(facts, database);
        for (let times = random(3); times > 0; times -= 1) damage(random, database);
        applyAll(facts, database);
        const again = planAll(facts, database.rows());
        if (again.changes.length > 0) throw new Error(`step ${step}: ${JSON.stringify(again.changes[0])}`);
        most = Math.max(most, (database.rows().tables.Load_Balancer ?? []).length);
      }
      applyAll(factsFor([], []), database);
      const left = (database.rows().tables.Load_Balancer ?? []).filter(({ name }) =>
        String(name).startsWith('Service_'),
      );
      t.strictSame(left, [], `seed ${number}: nothing is left`);
    } catch (error) {
      t.fail(`seed ${number}: ${(error as Error).stack}`);
    }
  }
  t.ok(most > 5, 'the random objects had load balancers');
  t.end();
});
