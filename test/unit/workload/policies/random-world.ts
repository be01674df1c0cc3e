// Random namespaces, pods and network policies, and changes of them.
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
import type { seededRandom } from '../../ovsdb/random.ts';
import type { End } from './reference.ts';
import { namespaceOf, type PolicyWorld, podOf, portOf } from './world.ts';

export const protocols: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
export const numbers = [80, 81, 8080, 8443, 9000];

export type Random = ReturnType<typeof seededRandom>;

export function oneOf<One>(random: Random, choices: readonly One[]): One {
  return choices[random(choices.length)] as One;
}

export function some<One>(random: Random, most: number, make: () => One): readonly One[] {
  return Array.from({ length: random(most + 1) }, make);
}

function randomLabels(random: Random): Record<string, string> {
  return {
    ...(random(2) === 0 && { app: oneOf(random, ['web', 'db']) }),
    ...(random(3) === 0 && { tier: oneOf(random, ['front', 'back']) }),
  };
}

export function randomSelector(random: Random): LabelSelector {
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

/** Sets or removes an entry; returns the values before and after the change. */
export function setIn<One>(map: Map<string, One>, key: string, now: One | undefined) {
  const before = map.get(key);
  if (now === undefined) map.delete(key);
  else map.set(key, now);
  return { ...(before !== undefined && { before }), ...(now !== undefined && { now }) };
}

/** Changes a random object of the world, and returns the change. */
export function randomChange(random: Random, world: PolicyWorld): ObjectChange {
  switch (random(4)) {
    case 0: {
      const name = oneOf(random, names);
      const now = random(6) === 0 ? undefined : namespaceOf(name, randomLabels(random));
      return { kind: 'Namespace', ...setIn(world.namespaces, name, now) };
    }
    case 1: {
      const key = `${oneOf(random, names)}/${oneOf(random, ['p', 'q'])}`;
      const now = random(4) === 0 ? undefined : randomPolicy(random, key);
      return { kind: 'NetworkPolicy', ...setIn(world.policies, key, now) };
    }
    default: {
      const key = oneOf(random, podKeys);
      const now = random(5) === 0 ? undefined : randomPod(random, key);
      if (now === undefined || !isOnNetwork(now)) world.addresses.delete(key);
      else {
        const place = 3 + podKeys.indexOf(key);
        world.addresses.set(key, [`10.42.1.${place}/24`, `fd01:0:0:1::${place.toString(16)}/64`]);
      }
      return { kind: 'Pod', ...setIn(world.pods, key, now) };
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
export function placesIn(world: PolicyWorld, isSix: boolean): readonly Place[] {
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
