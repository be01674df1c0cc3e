// Random objects of a hostile user, who may write all objects in the namespace `mallory` and no others. They contain
// names, labels, ports, addresses and annotations of other users, of peers, and of hosts that are not pods.
import type { StoredObject } from './stored-api.ts';

type Random = (limit: number) => number;

export const hostileNamespace = 'mallory';

/**
 * Targets of the hostile user: the nodes, the routers, the peers, and the pods, services and hosts of the namespace
 * `victim`.
 */
export interface Aims {
  readonly nodes: readonly string[];
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
  readonly uids: readonly string[];
}

export interface HostileObject {
  readonly plural: 'namespaces' | 'pods' | 'services' | 'endpointslices' | 'networkpolicies';
  readonly object: StoredObject;
}

/** Names that the API server accepts (RFC 1123), of nodes, switches, routers, namespaces and pods of other users. */
const names = [
  'n1',
  'n2',
  'victim',
  'web',
  'join',
  'rtos-n1',
  'stor-n1',
  'k8s-n1',
  'jtor-gr-n1',
  'cluster',
  'default',
  'br-ex.n1',
  'vm1',
  'vm1.n2',
  'west',
];

/**
 * Number of objects of each kind that can exist at a time. A further object has the name of an earlier one, and so
 * changes that object.
 */
const mostNames = 60;

function nameOf(index: number): string {
  return `${names[index % names.length]}-${index % mostNames}`;
}

/** Addresses that may not be served, an unused address of a served range, and texts that are not addresses. */
const odd = [
  '127.0.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '224.0.0.1',
  '169.254.169.1',
  '::1',
  'fe80::1',
  '10.42.1.999',
  '',
  '1.2.3.4/8',
  '10.42.1.3,10.42.1.4',
  '203.0.113.77',
];

/** Store of an API server, in which the hostile user makes and removes objects. */
interface Store {
  put(plural: HostileObject['plural'], object: StoredObject): void;
  remove(plural: HostileObject['plural'], key: string): void;
}

export interface HostileUser {
  /** Creates or changes object number `index`, and sometimes removes one of the objects. */
  act(index: number): void;
  /** Removes all objects except the namespace. */
  leave(): void;
}

/** Returns a user whose objects depend on `random` only. */
export function hostileUser(random: Random, aims: Aims, store: Store): HostileUser {
  const made = new Map<string, { readonly plural: HostileObject['plural']; readonly key: string }>();
  return {
    act: (index) => {
      const { plural, object } = hostileObject(random, index, aims);
      const { namespace, name } = object.metadata;
      const key = namespace === undefined ? name : `${namespace}/${name}`;
      store.put(plural, object);
      if (plural !== 'namespaces') made.set(`${plural} ${key}`, { plural, key });
      if (random(5) !== 0) return;
      const [place, one] = [...made][random(made.size)] ?? [];
      if (place === undefined || one === undefined) return;
      store.remove(one.plural, one.key);
      made.delete(place);
    },
    leave: () => {
      for (const { plural, key } of made.values()) store.remove(plural, key);
      made.clear();
    },
  };
}

/** Returns object number `index`; a later object with the same number is a change of the earlier one. */
export function hostileObject(random: Random, index: number, aims: Aims): HostileObject {
  const kinds = [pod, pod, service, service, slice, slice, policy, policy, namespace] as const;
  const make = kinds[random(kinds.length)] ?? pod;
  return make(random, index, aims);
}

function pick<One>(random: Random, list: readonly One[]): One {
  const one = list[random(list.length)];
  if (one === undefined) throw new Error('there is nothing to pick from');
  return one;
}

function many<One>(count: number, one: (index: number) => One): One[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

/** Returns a count that is mostly small, and sometimes large. */
function some(random: Random, most: number): number {
  return random(20) === 0 ? random(most) : random(4);
}

function addressFrom(random: Random, { addresses }: Aims): string {
  return random(4) === 0 ? pick(random, odd) : pick(random, addresses);
}

/** Returns a range of clients, or a text that is not a range. */
function rangeFrom(random: Random, aims: Aims): string {
  const address = addressFrom(random, aims);
  return random(6) === 0 ? address : `${address}/${random(address.includes(':') ? 129 : 33)}`;
}

function metadataOf(random: Random, index: number, aims: Aims): StoredObject['metadata'] {
  const name = nameOf(index);
  const address = addressFrom(random, aims);
  const network = {
    default: { ip_addresses: [`${address}/24`], mac_address: '0a:58:0a:2a:01:03', gateway_ips: ['10.42.1.1'] },
  };
  const uid = `uid-of-${name}`;
  const all: Readonly<Record<string, string>> = {
    'k8s.ovn.org/pod-networks': random(3) === 0 ? 'x'.repeat(some(random, 100_000)) : JSON.stringify(network),
    ovn: `{"ip_address": "${address}/24", "mac_address": "0a:58:0a:2a:01:03", "gateway_ip": "10.42.1.1"}`,
    'microshift-net/address-of': random(2) === 0 ? uid : pick(random, aims.uids),
    'microshift-net/ip-address': addressFrom(random, aims),
    'kubernetes.io/config.mirror': pick(random, aims.uids),
    'k8s.ovn.org/node-subnets': '{"default":["10.42.1.0/24"]}',
  };
  const annotations = Object.fromEntries(Object.entries(all).filter(() => random(3) === 0));
  const labels = Object.fromEntries(many(some(random, 2_000), (label) => [`l${label}`, 'x'.repeat(random(60))]));
  const creationTimestamp = '2026-02-01T00:00:00Z';
  // Labels by which policies of others select pods, hosts that are not pods, and namespaces.
  const named = {
    app: pick(random, ['web', 'db']),
    ...(random(3) === 0 && { 'microshift-net/group': 'victims' }),
    ...(random(3) === 0 && { 'kubernetes.io/metadata.name': 'victim' }),
  };
  return { namespace: hostileNamespace, name, uid, creationTimestamp, annotations, labels: { ...named, ...labels } };
}

function namespace(random: Random, index: number, aims: Aims): HostileObject {
  const { annotations = {}, labels = {} } = metadataOf(random, index, aims);
  // The group of a namespace is what its administrator writes (docs/use/cluster-policies.md).
  const { 'microshift-net/group': _, ...own } = labels;
  return {
    plural: 'namespaces',
    object: {
      metadata: {
        name: hostileNamespace,
        uid: 'uid-of-mallory',
        annotations,
        labels: { ...own, 'kubernetes.io/metadata.name': hostileNamespace },
      },
    },
  };
}

function pod(random: Random, index: number, aims: Aims): HostileObject {
  const ports = many(some(random, 700), () => ({
    // Small numbers under a name that pods of others have.
    ...(random(4) === 0
      ? { name: 'http', containerPort: 1 + random(80) }
      : { name: `p${random(9)}`, containerPort: pick(random, aims.ports) }),
    protocol: pick(random, ['TCP', 'UDP', 'SCTP']),
    ...(random(4) === 0 && { hostPort: pick(random, aims.ports) }),
  }));
  return {
    plural: 'pods',
    object: {
      metadata: metadataOf(random, index, aims),
      spec: {
        nodeName: pick(random, ['n1', 'n2', 'n3', 'elsewhere', '']),
        containers: [{ name: 'c', ports }],
        hostNetwork: random(8) === 0,
      },
      status: { phase: pick(random, ['Pending', 'Running', 'Succeeded']) },
    },
  };
}

/**
 * Returns a service with a cluster IP and NodePorts of its own, because the API server assigns each of them only once.
 */
function service(random: Random, index: number, aims: Aims): HostileObject {
  const metadata = metadataOf(random, index, aims);
  const type = pick(random, ['ClusterIP', 'NodePort', 'LoadBalancer']);
  const ports = many(1 + some(random, 900), (port) => ({
    name: `p${port}`,
    port: random(2) === 0 ? pick(random, aims.ports) : 1 + port,
    protocol: pick(random, ['TCP', 'UDP']),
    ...(type !== 'ClusterIP' && port < 10 && { nodePort: 31_000 + 10 * (index % mostNames) + port }),
  }));
  const addresses = (most: number): readonly string[] => many(some(random, most), () => addressFrom(random, aims));
  return {
    plural: 'services',
    object: {
      metadata,
      spec: {
        type,
        clusterIPs: random(10) === 0 ? ['None'] : [`10.43.100.${index % mostNames}`],
        externalIPs: addresses(40),
        ports,
        externalTrafficPolicy: pick(random, ['Cluster', 'Local']),
        internalTrafficPolicy: pick(random, ['Cluster', 'Local']),
        sessionAffinity: pick(random, ['None', 'ClientIP']),
        publishNotReadyAddresses: random(2) === 0,
        healthCheckNodePort: random(3) === 0 ? pick(random, aims.ports) : 0,
        ...(random(3) === 0 && {
          loadBalancerSourceRanges: many(1 + some(random, 600), () => rangeFrom(random, aims)),
        }),
      },
      // MicroShift's controller writes addresses of nodes into the status; a user may not write it.
      status: { loadBalancer: { ingress: addresses(40).map(() => ({ ip: pick(random, aims.nodes) })) } },
    },
  };
}

function slice(random: Random, index: number, aims: Aims): HostileObject {
  const { annotations: _, ...metadata } = metadataOf(random, index, aims);
  const of = nameOf(random(mostNames));
  return {
    plural: 'endpointslices',
    object: {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': of } },
      addressType: pick(random, ['IPv4', 'IPv4', 'IPv6', 'FQDN']),
      ports: many(1 + some(random, 600), (port) => ({
        name: `p${port}`,
        port: pick(random, aims.ports),
        protocol: pick(random, ['TCP', 'UDP']),
      })),
      endpoints: many(some(random, 1_100), () => ({
        addresses: [addressFrom(random, aims)],
        nodeName: pick(random, ['n1', 'n2', 'n3']),
        conditions: { ready: random(2) === 0, serving: random(2) === 0, terminating: random(2) === 0 },
      })),
    },
  };
}

function policy(random: Random, index: number, aims: Aims): HostileObject {
  const selector = (): object =>
    pick(random, [
      {},
      { matchLabels: { app: 'web' } },
      { matchExpressions: [{ key: 'app', operator: pick(random, ['Exists', 'DoesNotExist']) }] },
      {
        matchExpressions: [
          { key: 'l0', operator: 'NotIn', values: many(1 + some(random, 6_000), (value) => `v${value}`) },
        ],
      },
    ]);
  const peer = (): object =>
    pick(random, [
      { podSelector: selector() },
      { namespaceSelector: selector() },
      { namespaceSelector: selector(), podSelector: selector() },
      { ipBlock: { cidr: `${addressFrom(random, aims)}/${random(33)}`, except: [] } },
    ]);
  const ports = (): object[] =>
    many(some(random, 200), () => ({
      port: pick(random, [...aims.ports, 'p0', 'p1', 'http']),
      protocol: pick(random, ['TCP', 'UDP', 'SCTP']),
    }));
  const rules = (end: 'from' | 'to'): object[] =>
    many(random(3), () => ({ [end]: many(some(random, 300), peer), ports: ports() }));
  return {
    plural: 'networkpolicies',
    object: {
      metadata: metadataOf(random, index, aims),
      spec: {
        podSelector: selector(),
        policyTypes: ['Ingress', 'Egress'],
        ingress: rules('from'),
        egress: rules('to'),
      },
    },
  };
}
