// Connections between namespaces, computed from policies of all tiers.
import t from 'tap';
import type { Isolation, Reach } from '../../../../agent/model/namespace-isolation.ts';
import { readClusterPolicy } from '../../../../agent/workload/cluster-policies/read-cluster-policy.ts';
import { isolationOf, isolationPolicy } from '../../../../agent/workload/isolation/isolation-policy.ts';
import { reachMatrix } from '../../../../agent/workload/isolation/reach-matrix.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';
import { emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { isAllowedByAll } from '../cluster-policies/cluster-reference.ts';
import { accessListsIn } from '../policies/access-evaluator.ts';
import { numbers, placesIn, protocols, randomChange } from '../policies/random-world.ts';
import {
  allPolicyUnits,
  applied,
  emptyWorld,
  factsOf,
  namespaceOf,
  type PolicyWorld,
  podOf,
  setPorts,
} from '../policies/world.ts';

const isolation: Isolation = { globalNamespaces: ['dns'], groupLabel: 'group' };

function worldOf(): PolicyWorld {
  const world = emptyWorld();
  const groups = { dns: {}, a: { group: 'one' }, b: { group: 'one' }, c: {}, one: {}, empty: {} };
  for (const [row, [name, labels]] of Object.entries(groups).entries()) {
    world.namespaces.set(name, namespaceOf(name, labels));
    if (name === 'empty') continue;
    for (const id of [1, 2]) {
      world.pods.set(`${name}/p${id}`, podOf(`${name}/p${id}`));
      world.addresses.set(`${name}/p${id}`, [`10.42.${id}.${10 + row}/24`]);
    }
  }
  return world;
}

function isolate(world: PolicyWorld): void {
  const { metadata, ...object } = isolationPolicy(isolation);
  const policy = readClusterPolicy({ ...object, metadata: { ...metadata, uid: '1' } });
  world.clusterPolicies.set(policy.name, policy);
}

function reach(world: PolicyWorld): (from: string, to: string) => Reach | undefined {
  const { reaches } = reachMatrix(factsOf(modern, world));
  return (from, to) => reaches.find((one) => one.from === from && one.to === to)?.reach;
}

t.test('without policies all namespaces reach each other', (t) => {
  const matrix = reachMatrix(factsOf(modern, worldOf()));
  t.equal(matrix.isolation, null);
  t.equal(matrix.reaches.length, 36);
  t.ok(matrix.reaches.every((one) => one.reach === 'all'));
  t.strictSame(matrix.namespaces[0], { name: 'a', group: null });
  t.end();
});

t.test('separated namespaces', (t) => {
  const world = worldOf();
  isolate(world);
  const matrix = reachMatrix(factsOf(modern, world));
  t.strictSame(matrix.isolation, isolation);
  t.strictSame(matrix.namespaces, [
    { name: 'a', group: 'one' },
    { name: 'b', group: 'one' },
    { name: 'c', group: 'c' },
    { name: 'dns', group: null },
    { name: 'empty', group: 'empty' },
    { name: 'one', group: 'one' },
  ]);
  const isSame = (from: string, to: string): boolean =>
    from === to || (['a', 'b'].includes(from) && ['a', 'b'].includes(to));
  for (const { from, to, reach } of matrix.reaches)
    t.equal(reach, from === 'dns' || to === 'dns' || isSame(from, to) ? 'all' : 'none', `${from} to ${to}`);

  const database = emptyNorthbound('23.03');
  setPorts(database, world);
  const facts = factsOf(modern, world);
  applied(facts, database, allPolicyUnits(facts, database));
  const lists = accessListsIn(database);
  const end = (key: string) => ({
    port: key.replace('/', '_'),
    address: (world.addresses.get(key)?.[0] ?? '').replace(/\/.*/, ''),
  });
  for (const { from, to, reach } of matrix.reaches) {
    if (from === 'empty' || to === 'empty') continue;
    const packet = { source: end(`${from}/p1`), destination: end(`${to}/p2`), protocol: 'TCP', port: 80 } as const;
    t.equal(lists.passes(packet), reach === 'all', `${from} to ${to}, by the rows`);
  }

  world.namespaces.set('c', namespaceOf('c', { group: 'one' }));
  t.equal(reach(world)('a', 'c'), 'all', 'a label moves a namespace into a group');
  world.namespaces.set('new', namespaceOf('new'));
  t.strictSame([reach(world)('a', 'new'), reach(world)('dns', 'new')], ['none', 'all'], 'a new namespace is separate');
  t.end();
});

t.test('a namespace whose pods have no address, or that of their node, is separated as well', (t) => {
  const world = worldOf();
  isolate(world);
  world.pods.set('empty/waits', podOf('empty/waits'));
  world.addresses.set('empty/waits', []);
  world.pods.set('empty/host', { ...podOf('empty/host'), isHostNetwork: true });
  world.addresses.set('empty/host', ['192.0.2.11']);
  t.strictSame([reach(world)('a', 'empty'), reach(world)('empty', 'dns')], ['none', 'all']);
  t.end();
});

t.test('network policies precede the separation', (t) => {
  const world = worldOf();
  isolate(world);
  const put = (key: string, spec: object): void => {
    const [namespace, name] = key.split('/');
    world.policies.set(key, readPolicy({ metadata: { namespace, name }, spec }));
  };
  put('c/open', { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] });
  t.strictSame([reach(world)('a', 'c'), reach(world)('c', 'c')], ['some', 'some'], 'one port is open');
  put('c/open', { podSelector: {}, ingress: [{}] });
  t.equal(reach(world)('a', 'c'), 'all');
  put('a/closed', { podSelector: {} });
  t.strictSame([reach(world)('a', 'a'), reach(world)('b', 'a'), reach(world)('a', 'b')], ['none', 'none', 'all']);
  put('a/closed', { podSelector: { matchLabels: { pod: 'p1' } } });
  t.strictSame([reach(world)('a', 'a'), reach(world)('b', 'a')], ['some', 'some'], 'one of two pods is closed');
  put('empty/closed', { podSelector: {} });
  t.equal(reach(world)('dns', 'empty'), 'none');
  t.end();
});

t.test('the policy has the form of the API', (t) => {
  const without = isolationPolicy({ globalNamespaces: [], groupLabel: 'group' });
  t.match(without, { spec: { tier: 'Baseline', priority: 1000, subject: { namespaces: {} } } });
  const read = readClusterPolicy(without);
  t.equal(read.asks, undefined);
  t.strictSame(isolationOf(read), { globalNamespaces: [], groupLabel: 'group' });
  t.equal(isolationOf(undefined), null);
  t.end();
});

t.test('random network policies: the matrix agrees with the documentation of the API', (t) => {
  const seen = { all: 0, some: 0, none: 0 };
  for (let number = 0; number < 12; number += 1) {
    const random = seededRandom(number);
    const world = emptyWorld();
    for (let step = 0; step < 40; step += 1) randomChange(random, world);
    isolate(world);
    const places = placesIn(world, false).filter(({ pod }) => pod !== null);
    const matrix = reach(world);
    const found = new Map<string, boolean[]>();
    for (const from of places)
      for (const to of places) {
        const pair = `${from.pod?.namespace} ${to.pod?.namespace}`;
        for (const protocol of protocols)
          for (const port of [...numbers, 1, 82])
            found.set(pair, [...(found.get(pair) ?? []), isAllowedByAll(world, from, to, protocol, port)]);
      }
    for (const [pair, allowed] of found) {
      const [from = '', to = ''] = pair.split(' ');
      const expected = allowed.every(Boolean) ? 'all' : allowed.some(Boolean) ? 'some' : 'none';
      seen[expected] += 1;
      // Ports that the test does not examine may make the difference between some and none or all.
      if (matrix(from, to) !== expected && matrix(from, to) !== 'some') t.fail(`seed ${number}: ${pair} ${expected}`);
    }
  }
  t.comment(JSON.stringify(seen));
  t.ok(seen.all > 5 && seen.some > 5 && seen.none > 5);
  t.end();
});
