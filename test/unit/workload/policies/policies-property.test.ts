// Random policies and pods: OVN's rows allow what the API documents, and a plan of the affected policies equals a plan
// of all policies.
import t from 'tap';
import type {
  LabelSelector,
  NetworkPolicy,
  ObjectChange,
  Pod,
  PolicyPeer,
  PolicyPort,
  PolicyRule,
  Protocol,
} from '../../../../agent/model/workload.ts';
import { dual, emptyNorthbound, modern } from '../../overlay/cluster.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { accessListsIn } from './access-evaluator.ts';
import type { End } from './reference.ts';
import { isAllowed } from './reference.ts';
import {
  allPolicyUnits,
  applied,
  concernedPolicyUnits,
  emptyWorld,
  factsOf,
  namespaceOf,
  type PolicyWorld,
  podOf,
  portOf,
  setPorts,
} from './world.ts';

/** Number of random worlds; the test of all of them takes a few seconds. */
const runs = 50;
const protocols: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const numbers = [80, 81, 8080, 8443, 9000];

type Random = ReturnType<typeof seededRandom>;

function oneOf<One>(random: Random, choices: readonly One[]): One {
  return choices[random(choices.length)] as One;
}

function some<One>(random: Random, most: number, make: () => One): readonly One[] {
  return Array.from({ length: random(most + 1) }, make);
}

function randomLabels(random: Random): Record<string, string> {
  return {
    ...(random(2) === 0 && { app: oneOf(random, ['web', 'db']) }),
    ...(random(3) === 0 && { tier: oneOf(random, ['front', 'back']) }),
  };
}

function randomSelector(random: Random): LabelSelector {
  const key = oneOf(random, ['app', 'tier', 'pod', 'kubernetes.io/metadata.name']);
  const values = [oneOf(random, ['web', 'x', 'a']), oneOf(random, ['db', 'y', 'b', 'front'])];
  switch (random(6)) {
    case 0:
      return {};
    case 1:
      return { matchLabels: { [key]: values[0] ?? '' } };
    case 2:
      return { matchExpressions: [{ key, operator: 'In', values }] };
    case 3:
      return { matchExpressions: [{ key, operator: 'NotIn', values }] };
    case 4:
      return { matchExpressions: [{ key, operator: 'Exists' }], matchLabels: {} };
    default:
      return { matchExpressions: [{ key, operator: 'DoesNotExist' }] };
  }
}

function randomPeer(random: Random): PolicyPeer {
  switch (random(5)) {
    case 0:
      return { ipBlock: oneOf(random, blocks) };
    case 1:
      return { namespaceSelector: randomSelector(random) };
    case 2:
      return { namespaceSelector: randomSelector(random), podSelector: randomSelector(random) };
    default:
      return { podSelector: randomSelector(random) };
  }
}

const blocks = [
  { cidr: '0.0.0.0/0', except: ['10.42.1.4/30', '198.51.100.0/24'] },
  { cidr: '10.42.1.7/29', except: [] },
  { cidr: '198.51.100.0/24', except: ['198.51.100.9/32'] },
  { cidr: '::/0', except: ['fd01:0:0:1::4/126'] },
  { cidr: 'fd01:0:0:1::/64', except: [] },
];

function randomPort(random: Random): PolicyPort {
  const protocol = oneOf(random, protocols);
  switch (random(5)) {
    case 0:
      return { protocol, port: null, endPort: null };
    case 1:
      return { protocol, port: 8000, endPort: 8500 };
    case 2:
      return { protocol, port: oneOf(random, ['http', 'dns']), endPort: null };
    default:
      return { protocol, port: oneOf(random, numbers), endPort: null };
  }
}

function randomRules(random: Random): readonly PolicyRule[] {
  return some(random, 2, () => ({
    peers: some(random, 2, () => randomPeer(random)),
    ports: some(random, 3, () => randomPort(random)),
  }));
}

function randomPolicy(random: Random, key: string): NetworkPolicy {
  const [namespace = '', name = ''] = key.split('/');
  const policyTypes = oneOf(random, [['Ingress'], ['Egress'], ['Ingress', 'Egress']] as const);
  return {
    namespace,
    name,
    uid: `uid-${key}`,
    podSelector: randomSelector(random),
    policyTypes,
    ingress: randomRules(random),
    egress: randomRules(random),
  };
}

function randomPod(random: Random, key: string): Pod {
  const [, name = ''] = key.split('/');
  const special = random(8);
  return podOf(key, {
    uid: `uid-${random(1000)}`,
    labels: { pod: name, ...randomLabels(random) },
    nodeName: special === 0 ? null : 'n1',
    isHostNetwork: special === 1,
    isOver: special === 2,
    ports: some(random, 2, () =>
      portOf(oneOf(random, ['http', 'dns']), oneOf(random, numbers), oneOf(random, protocols)),
    ),
  });
}

const names = ['x', 'y', 'z'];
const podKeys = names.flatMap((name) => ['a', 'b', 'c'].map((pod) => `${name}/${pod}`));

function isOnNetwork({ nodeName, isHostNetwork, isOver }: Pod): boolean {
  return nodeName !== null && !isHostNetwork && !isOver;
}

/** Changes a random object of the world, and returns the change. */
function randomChange(random: Random, world: PolicyWorld): ObjectChange {
  const set = <One>(map: Map<string, One>, key: string, now: One | undefined) => {
    const before = map.get(key);
    if (now === undefined) map.delete(key);
    else map.set(key, now);
    return { ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
  };
  switch (random(4)) {
    case 0: {
      const name = oneOf(random, names);
      const now = random(6) === 0 ? undefined : namespaceOf(name, randomLabels(random));
      return { kind: 'Namespace', ...set(world.namespaces, name, now) };
    }
    case 1: {
      const key = `${oneOf(random, names)}/${oneOf(random, ['p', 'q'])}`;
      const now = random(4) === 0 ? undefined : randomPolicy(random, key);
      return { kind: 'NetworkPolicy', ...set(world.policies, key, now) };
    }
    default: {
      const key = oneOf(random, podKeys);
      const now = random(5) === 0 ? undefined : randomPod(random, key);
      if (now === undefined || !isOnNetwork(now)) world.addresses.delete(key);
      else {
        const place = 3 + podKeys.indexOf(key);
        world.addresses.set(key, [`10.42.1.${place}/24`, `fd01:0:0:1::${place.toString(16)}/64`]);
      }
      return { kind: 'Pod', ...set(world.pods, key, now) };
    }
  }
}

interface Place extends End {
  readonly port: string | null;
}

/**
 * Returns the ends that connections can have: pods and hosts outside of the cluster, each with an address of one
 * family.
 */
function placesIn(world: PolicyWorld, isSix: boolean): readonly Place[] {
  const ofFamily = (address: string): boolean => address.includes(':') === isSix;
  const pods = [...world.addresses].flatMap(([key, addresses]) => {
    // Pods of an unknown namespace are left out, because no result is defined for them.
    const pod = world.pods.get(key);
    if (pod === undefined || !world.namespaces.has(pod.namespace)) return [];
    const address = addresses.find(ofFamily)?.replace(/\/.*/, '') ?? '';
    return [{ pod, address, port: key.replace('/', '_') }];
  });
  const outside = ['198.51.100.8', '198.51.100.9', '2001:db8::9'].filter(ofFamily);
  return [...pods, ...outside.map((address) => ({ pod: null, address, port: null }))];
}

t.test('exactly the packets that the policies allow pass', (t) => {
  let [allowed, refused] = [0, 0];
  for (let number = 0; number < runs; number += 1) {
    const random = seededRandom(number);
    const layout = number % 2 === 0 ? modern : dual;
    const database = emptyNorthbound(number % 3 === 0 ? '26.03' : '23.03');
    const world = emptyWorld();
    try {
      for (let step = 0; step < 12; step += 1) {
        const changes = Array.from({ length: step === 0 ? 20 : 1 + random(3) }, () => randomChange(random, world));
        setPorts(database, world);
        const facts = factsOf(layout, world);
        applied(
          facts,
          database,
          changes.flatMap((change) => concernedPolicyUnits(change, facts)),
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
            const expected = isAllowed(world, source, destination, protocol, port);
            if (lists.passes({ source, destination, protocol, port }) !== expected)
              throw new Error(
                `step ${step}: ${source.port ?? source.address} to ${destination.port ?? destination.address}, ${protocol} ${port}: ${JSON.stringify([...world.policies.values()])}`,
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
  t.ok(allowed > 2_000 && refused > 2_000, 'the test met allowed and refused connections');
  t.end();
});
