// Random policies of all tiers: OVN's rows allow what the API documents, and a plan of the affected objects equals a
// plan of all objects.
import t from 'tap';
import type {
  ClusterNetworkPolicy,
  ClusterPeer,
  ClusterProtocol,
  ClusterRule,
  ObjectChange,
} from '../../../../agent/model/workload.ts';
import { dual, emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { accessListsIn } from '../policies/access-evaluator.ts';
import {
  numbers,
  oneOf,
  placesIn,
  protocols,
  type Random,
  randomChange,
  randomSelector,
  setIn,
  some,
} from '../policies/random-world.ts';
import { allPolicyUnits, applied, concernedPolicyUnits, emptyWorld, factsOf, setPorts } from '../policies/world.ts';
import { isAllowedByAll } from './cluster-reference.ts';

/** Number of random worlds. */
const runs = 12;

const networks = ['0.0.0.0/0', '10.42.1.0/29', '198.51.100.0/24', '10.42.0.0/16', '::/0', 'fd01:0:0:1::/126'];

function randomPeer(random: Random, isEgress: boolean): ClusterPeer {
  if (isEgress && random(3) === 0) return { networks: some(random, 2, () => oneOf(random, networks)) };
  return { pods: { namespaces: randomSelector(random), pods: random(2) === 0 ? {} : randomSelector(random) } };
}

function randomProtocol(random: Random): ClusterProtocol {
  const protocol = oneOf(random, protocols);
  switch (random(4)) {
    case 0:
      return { namedPort: oneOf(random, ['http', 'dns']) };
    case 1:
      return { protocol, first: oneOf(random, [1, 81, 8000]), last: oneOf(random, [8500, 9000, 65_535]) };
    default: {
      const number = oneOf(random, numbers);
      return { protocol, first: number, last: number };
    }
  }
}

function randomRules(random: Random, isEgress: boolean): readonly ClusterRule[] {
  return some(random, 4, () => ({
    name: '',
    action: oneOf(random, ['Accept', 'Deny', 'Pass'] as const),
    peers: [randomPeer(random, isEgress), ...some(random, 1, () => randomPeer(random, isEgress))],
    protocols: random(2) === 0 ? [] : some(random, 3, () => randomProtocol(random)),
  }));
}

function randomClusterPolicy(random: Random, name: string): ClusterNetworkPolicy {
  return {
    name,
    uid: `uid-${name}`,
    tier: oneOf(random, ['Admin', 'Admin', 'Baseline'] as const),
    priority: random(4),
    subject:
      random(12) === 0
        ? null
        : { namespaces: randomSelector(random), pods: random(2) === 0 ? {} : randomSelector(random) },
    ingress: randomRules(random, false),
    egress: randomRules(random, true),
    ...(random(6) === 0 && { groupLabel: 'app' }),
  };
}

// Names in the order of their priorities, because policies of the same priority have no order.
const names = ['a', 'b', 'c', 'd'];

function change(random: Random, world: ReturnType<typeof emptyWorld>): ObjectChange {
  if (random(3) > 0) return randomChange(random, world);
  const name = oneOf(random, names);
  const made = { ...randomClusterPolicy(random, name), priority: 100 * (1 + names.indexOf(name)) };
  const now = random(4) === 0 ? undefined : made;
  return { kind: 'ClusterNetworkPolicy', ...setIn(world.clusterPolicies, name, now) };
}

t.test('exactly the packets that the policies of all tiers allow pass', (t) => {
  let [allowed, refused] = [0, 0];
  for (let number = 0; number < runs; number += 1) {
    const random = seededRandom(number);
    const layout = number % 2 === 0 ? modern : dual;
    const database = emptyNorthbound(number % 3 === 0 ? '26.03' : '23.03');
    const world = emptyWorld();
    try {
      for (let step = 0; step < 12; step += 1) {
        const changes = Array.from({ length: step === 0 ? 30 : 1 + random(3) }, () => change(random, world));
        setPorts(database, world);
        const facts = factsOf(layout, world);
        applied(
          facts,
          database,
          changes.flatMap((one) => concernedPolicyUnits(one, facts)),
        );
        const again = applied(facts, database, allPolicyUnits(facts, database));
        if (again.changes.length > 0)
          throw new Error(`step ${step}: ${JSON.stringify(changes)} also concerns ${JSON.stringify(again.changes[0])}`);
        const lists = accessListsIn(database);
        const places = placesIn(world, layout === dual && random(2) === 0);
        for (const source of places)
          for (const destination of places) {
            if (source === destination) continue;
            const [protocol, port] = [oneOf(random, protocols), oneOf(random, numbers)];
            const expected = isAllowedByAll(world, source, destination, protocol, port);
            if (lists.passes({ source, destination, protocol, port }) !== expected)
              throw new Error(
                `step ${step}: ${source.port ?? source.address} to ${destination.port ?? destination.address}, ${protocol} ${port}, expected ${expected}: ${JSON.stringify([...world.policies.values(), ...world.clusterPolicies.values()])}`,
              );
            if (expected) allowed += 1;
            else refused += 1;
          }
      }
      for (const map of Object.values(world)) map.clear();
      setPorts(database, world);
      const facts = factsOf(layout, world);
      applied(facts, database, allPolicyUnits(facts, database));
      const left = Object.entries(database.rows().tables).filter(
        ([table, rows]) => rows.length > 0 && table !== 'Logical_Switch',
      );
      t.strictSame(left, [], `seed ${number}: nothing is left`);
    } catch (error) {
      t.fail(`seed ${number}: ${(error as Error).stack}`);
    }
  }
  t.comment(`${allowed} connections allowed, ${refused} refused`);
  t.ok(allowed > 500 && refused > 500, 'the test met allowed and refused connections');
  t.end();
});
