// Limits on the rows that one object of each kind can cause: hostile objects are refused, and combinations of ordinary
// objects are bounded.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ObjectChange } from '../../../agent/model/workload.ts';
import { foundIn } from '../../../agent/overlay/rows/desired-rows.ts';
import { operationsOf } from '../../../agent/overlay/rows/row-operations.ts';
import { kinds } from '../../../agent/run/overlay/watcher/followed-kinds.ts';
import { noticeOfBudget, noticesOfService, viewOf } from '../../../agent/run/overlay/watcher/notices.ts';
import { budgets, mostEndpointsOfRows } from '../../../agent/workload/budget.ts';
import { planInSteps } from '../../../agent/workload/plan-workload.ts';
import { createAddressBook } from '../../../agent/workload/pods/address-book.ts';
import { readPod } from '../../../agent/workload/pods/read-pod.ts';
import { readNamespace } from '../../../agent/workload/policies/read-namespace.ts';
import { readPolicy } from '../../../agent/workload/policies/read-policy.ts';
import { selectedPods } from '../../../agent/workload/policies/selections.ts';
import { IndexedServices } from '../../../agent/workload/services/indexed-services.ts';
import { IndexedSlices } from '../../../agent/workload/services/indexed-slices.ts';
import { sharing } from '../../../agent/workload/services/outside.ts';
import { readService } from '../../../agent/workload/services/read-service.ts';
import { readSlice } from '../../../agent/workload/services/read-slice.ts';
import { applied, emptyNorthbound, gatewayOf, modern, nodeOf } from '../overlay/cluster.ts';
import { emptyWorld, factsOf, namespaceOf, podOf } from './policies/world.ts';
import { factsFor, planAll, serviceObject, sliceObject } from './services/facts.ts';

const metadata = { namespace: 'web', name: 'one', uid: '1' };
const many = <One>(count: number, one: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, index) => one(index));
const labels = (letters: number) =>
  Object.fromEntries(many(Math.ceil(letters / 60), (index) => [`label-${index}`, 'x'.repeat(63)]));
const servicePorts = (count: number, special = {}) =>
  many(count, (index) => ({ name: `p${index}`, port: index + 1, protocol: 'TCP', ...special }));
const addressOf = (index: number) => `10.42.${1 + (index >> 8)}.${index & 255}`;

const clusterPolicy = (ingress: readonly object[]) => ({
  metadata: { name: 'one', uid: '1' },
  spec: { tier: 'Admin', priority: 0, subject: { namespaces: {} }, ingress },
});

/** For each kind, an object within its limits, and objects that exceed them. */
const objects: Readonly<
  Record<ObjectChange['kind'], { readonly ordinary: object; readonly hostile: readonly object[] }>
> = {
  Node: {
    ordinary: { metadata: { ...metadata, labels: labels(5_000) } },
    hostile: [{ metadata: { ...metadata, labels: labels(40_000) } }],
  },
  Namespace: {
    ordinary: { metadata: { ...metadata, labels: labels(5_000) } },
    hostile: [{ metadata: { ...metadata, labels: labels(40_000) } }],
  },
  Pod: {
    ordinary: {
      metadata: { ...metadata, labels: labels(5_000), annotations: labels(200_000) },
      spec: { containers: [{ ports: many(200, (index) => ({ containerPort: index + 1 })) }] },
    },
    hostile: [
      { metadata: { ...metadata, labels: labels(100_000) } },
      {
        metadata,
        spec: { containers: [{ ports: many(501, (index) => ({ containerPort: index + 1, hostPort: index + 1 })) }] },
      },
    ],
  },
  Service: {
    ordinary: serviceObject('one', { ports: servicePorts(500) }),
    hostile: [
      serviceObject('one', { ports: servicePorts(501) }),
      serviceObject('one', { ports: servicePorts(100), externalIPs: many(10, addressOf) }),
      serviceObject('one', { loadBalancerSourceRanges: many(501, () => '192.0.2.0/24') }),
      serviceObject(
        'one',
        { loadBalancerSourceRanges: many(251, () => '192.0.2.0/24') },
        { loadBalancer: { ingress: many(2, (index) => ({ ip: addressOf(index) })) } },
      ),
    ],
  },
  EndpointSlice: {
    ordinary: sliceObject(
      'one',
      many(1000, (index) => [addressOf(index), 'n1'] as const),
    ),
    hostile: [
      sliceObject(
        'one',
        many(1001, (index) => [addressOf(index), 'n1'] as const),
      ),
      sliceObject('one', [], { ports: servicePorts(501) }),
    ],
  },
  NetworkPolicy: {
    ordinary: { metadata, spec: { podSelector: {}, ingress: [{}] } },
    hostile: [{ metadata, spec: { podSelector: { matchLabels: labels(400_000) }, ingress: [{}] } }],
  },
  ClusterNetworkPolicy: {
    ordinary: clusterPolicy(many(25, () => ({ action: 'Accept', from: [{ namespaces: {} }] }))),
    hostile: [
      clusterPolicy(many(25, () => ({ action: 'Accept', from: [{ namespaces: { matchLabels: labels(20_000) } }] }))),
      clusterPolicy(many(17, (index) => ({ action: index % 2 === 0 ? 'Accept' : 'Deny', from: [{ namespaces: {} }] }))),
      clusterPolicy([{ action: 'Accept', from: many(5_001, () => ({ namespaces: {} })) }]),
      clusterPolicy([
        {
          action: 'Deny',
          from: [{ namespaces: {} }],
          protocols: many(51, (index) => ({ destinationNamedPort: `p${index}` })),
        },
      ]),
    ],
  },
};

for (const kind of kinds)
  t.test(`a budget of every ${kind.kind}`, (t) => {
    const { ordinary, hostile } = objects[kind.kind];
    t.equal(noticeOfBudget(kind, kind.read(ordinary)), null, 'an ordinary object is within the budget');
    for (const object of hostile) {
      const read = kind.read(object);
      t.match(noticeOfBudget(kind, read), {
        reason: 'TooLarge',
        regarding: { kind: kind.kind },
        note: /, and at most \d+ are served: /,
      });
      const longest = kind.kind === 'Node' ? 10_000 : 1_000;
      t.ok(JSON.stringify(read).length < longest, 'the oversized part of the object is not kept');
    }
    t.end();
  });

t.test('a pod beyond its budget has no address, and is in no address set', (t) => {
  const pod = { ...readPod({ metadata: { ...metadata, labels: labels(100_000) }, spec: { nodeName: 'n1' } }) };
  const book = createAddressBook();
  book.settle({ nodes: [nodeOf(1)], pods: [pod], gone: [], addressesOfRow: () => [] });
  t.equal(book.addresses.size, 0);
  const world = emptyWorld();
  world.namespaces.set('web', namespaceOf('web'));
  world.pods.set('web/one', pod);
  world.pods.set('web/two', podOf('web/two'));
  t.strictSame(
    selectedPods({ namespaces: {}, pods: {} }, factsOf(modern, world)).map(([key]) => key),
    ['web/two'],
  );
  t.end();
});

t.test('a namespace beyond its budget is not matched by a selector, not even by a selector of absent labels', (t) => {
  const world = emptyWorld();
  world.namespaces.set('web', { ...readNamespace({ metadata: { name: 'web', labels: labels(40_000) } }) });
  world.pods.set('web/one', podOf('web/one'));
  const lacks = { matchExpressions: [{ key: 'label-0', operator: 'DoesNotExist' }] } as const;
  t.strictSame(selectedPods({ namespaces: lacks, pods: {} }, factsOf(modern, world)), []);
  t.equal(
    selectedPods({ namespaces: 'web', pods: {} }, factsOf(modern, world)).length,
    1,
    'the namespace is selected by its name',
  );
  t.end();
});

t.test('the rows of a service are limited, regardless of its ports, addresses and endpoints', (t) => {
  const nodes = many(20, (index) => nodeOf(index + 1, { gateway: gatewayOf(index + 1) }));
  const service = serviceObject('one', {
    type: 'NodePort',
    externalTrafficPolicy: 'Local',
    ports: servicePorts(500).map((port, index) => ({ ...port, nodePort: 30_000 + index })),
  });
  const slices = many(20, (index) =>
    sliceObject(
      'one',
      many(1000, (place) => [addressOf(1000 * index + place), `n${1 + (place % 20)}`] as const),
      {
        name: `one-${index}`,
        ports: servicePorts(500),
      },
    ),
  );
  const facts = factsFor([service, ...slices], nodes);
  const database = emptyNorthbound().rows();
  const letters = JSON.stringify(operationsOf(planAll(facts, database), database.shape)).length;
  t.ok(letters < 4_000_000, `${letters} characters`);
  const [one] = facts.workload.services.values();
  if (one === undefined) throw new Error('the service is not there');
  const notes = noticesOfService(one, viewOf(facts), null).map(({ note }) => note);
  t.ok(
    notes.some((note) => /^only \d+ of 20000 endpoints are served, /.test(note)),
    'an Event reports the number of served endpoints',
  );
  const reversed = factsFor([service, ...slices.toReversed()], nodes);
  t.strictSame(
    planAll(reversed, database),
    planAll(facts, database),
    'the served endpoints do not depend on the order of the slices',
  );
  t.end();
});

t.test('a service has one return route for each pod, regardless of its ports', (t) => {
  const nodes = [1, 2].map((id) => nodeOf(id, { gateway: gatewayOf(id) }));
  const database = emptyNorthbound();
  applied(database, { layout: modern, nodes });
  const ports = servicePorts(500).map((port, index) => ({ ...port, nodePort: 30_000 + index }));
  const service = serviceObject('one', { type: 'NodePort', externalTrafficPolicy: 'Local', ports });
  const slice = sliceObject(
    'one',
    many(10, (index) => [`10.42.1.${index + 3}`, 'n1'] as const),
    {
      ports: servicePorts(500),
    },
  );
  const { changes } = planAll(factsFor([service, slice], nodes), database.rows());
  const ways = changes.filter(({ table }) => table === 'Logical_Router_Policy');
  t.equal(ways.length, 10);
  t.end();
});

t.test('the largest objects are planned in steps, each of a row or a port', (t) => {
  const nodes = many(3, (index) => nodeOf(index + 1, { gateway: gatewayOf(index + 1) }));
  const database = emptyNorthbound().rows();
  const stepsOf = (facts: ReturnType<typeof factsFor>, unit: string): readonly number[] => {
    const { existing, shape } = foundIn(database);
    const steps: number[] = [0];
    for (const rows of planInSteps(facts, existing, shape, [unit])) steps.push(rows);
    return steps;
  };
  const most = (steps: readonly number[]): number =>
    Math.max(...steps.map((rows, index) => rows - (steps[index - 1] ?? 0)));
  const service = serviceObject('one', { ports: servicePorts(500), externalTrafficPolicy: 'Local' });
  const ofService = stepsOf(
    factsFor(
      [
        service,
        sliceObject(
          'one',
          many(60, (index) => [addressOf(index), 'n1'] as const),
        ),
      ],
      nodes,
    ),
    'service:default/one',
  );
  t.ok(ofService.length > 500 && most(ofService) <= 1, `${ofService.length} steps of a service`);
  const world = emptyWorld();
  const from = many(1000, (index) => ({ ipBlock: { cidr: `10.${index >> 8}.${index & 255}.0/24` } }));
  world.policies.set('web/one', readPolicy({ metadata, spec: { podSelector: {}, ingress: [{ from }] } }));
  const ofPolicy = stepsOf(factsOf(modern, world), 'policy:web/one');
  t.ok(ofPolicy.length > 1000 && most(ofPolicy) <= 2, `${ofPolicy.length} steps of a policy`);
  t.end();
});

t.test('a thousand pods of one service are served at its address', (t) => {
  const facts = factsFor(
    [
      serviceObject('one'),
      sliceObject(
        'one',
        many(1000, (index) => [addressOf(index), 'n1'] as const),
      ),
    ],
    [nodeOf(1)],
  );
  const database = emptyNorthbound().rows();
  const [vips = ''] = planAll(facts, database).changes.flatMap((change) =>
    change.do === 'insert' && change.table === 'Load_Balancer' ? [JSON.stringify(change.row.vips)] : [],
  );
  t.equal(vips.split(',').length, 1000);
  t.ok(mostEndpointsOfRows > 1000);
  t.end();
});

t.test('indexes do not depend on earlier objects', (t) => {
  const [services, slices] = [new IndexedServices(), new IndexedSlices()];
  const put = (round: number): void => {
    for (const index of many(40, (one) => one)) {
      const name = `s${index}`;
      if ((index + round) % 3 === 0) {
        services.delete(`default/${name}`);
        slices.delete(`default/${name}-abcde`);
        continue;
      }
      const given = {
        externalIPs: [`192.0.2.${(index * round) % 7}`],
        ports: servicePorts(1 + ((index + round) % 3), { nodePort: 30_000 + index }),
      };
      services.set(`default/${name}`, readService(serviceObject(name, given)));
      slices.set(
        `default/${name}-abcde`,
        readSlice(
          sliceObject(
            `s${(index + round) % 5}`,
            many(index % 4, (place) => [addressOf(place), 'n1'] as const),
            { name: `${name}-abcde` },
          ),
        ),
      );
    }
  };
  for (const round of [1, 2, 3, 4]) put(round);
  const fresh = [new IndexedServices(), new IndexedSlices()] as const;
  for (const [key, service] of services) fresh[0].set(key, service);
  for (const [key, slice] of slices) fresh[1].set(key, slice);
  for (const index of many(5, (one) => one)) {
    const [now, then] = [slices, fresh[1]].map((all) => all.ofService(`default/s${index}`));
    t.equal(now?.size, then?.size);
    t.strictSame([...(now?.slices.keys() ?? [])].toSorted(), [...(then?.slices.keys() ?? [])].toSorted());
  }
  for (const [, service] of services)
    t.strictSame([...sharing([service], services)].toSorted(), [...sharing([service], fresh[0])].toSorted());
  t.end();
});

t.test('a change of a service concerns services that request its places, and not all with its address', (t) => {
  const balanced = (name: string, port: number) =>
    readService(
      serviceObject(
        name,
        { type: 'LoadBalancer', ports: [{ port, protocol: 'TCP' }] },
        { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
      ),
    );
  const services = new IndexedServices();
  for (const index of many(100, (one) => one))
    services.set(`default/s${index}`, balanced(`s${index}`, 1000 + (index % 50)));
  t.strictSame([...sharing([balanced('s3', 1003)], services)], ['default/s53']);
  t.end();
});

t.test('the documents have the budgets', (t) => {
  const text = readFileSync(join(import.meta.dirname, '../../../../docs/internals/overlay-watcher.md'), 'utf8');
  for (const [kind, limits] of Object.entries(budgets))
    for (const [measure, most] of Object.entries(limits)) {
      const row = text.split('\n').find((line) => line.startsWith(`| ${kind} |`)) ?? '';
      t.ok(row.includes(most.toLocaleString('en')), `${kind}: ${measure}, ${most}`);
    }
  const policies = readFileSync(join(import.meta.dirname, '../../../../docs/use/network-policy.md'), 'utf8');
  const section = /^## Budget of a policy$([\s\S]*?)^The budget prevents/m.exec(policies)?.[1] ?? '';
  for (const most of Object.values(budgets.NetworkPolicy))
    t.ok(section.includes(most.toLocaleString('en')), `docs/use/network-policy.md: ${most}`);
  t.end();
});
