// The Kubernetes project's cases for network policies (kubernetes/kubernetes,
// test/e2e/network/netpol/network_policy.go), by their titles: the policies of each, and which pods can then connect to
// which.
import type { LabelSelector, Labels, NetworkPolicy, Protocol } from '../../../../agent/model/workload.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';

export interface NetpolCase {
  /** Title of the test; if the protocol is not TCP, the title of the test's context precedes it. */
  readonly title: string;
  /** The pods in the truth table. */
  readonly pods: readonly string[];
  readonly steps: readonly Step[];
}

export interface Step {
  /** Policies that are changed at the beginning of the step; null removes a policy. */
  readonly policies?: Readonly<Record<string, NetworkPolicy | null>>;
  readonly podLabels?: Readonly<Record<string, Labels>>;
  readonly namespaceLabels?: Readonly<Record<string, Labels>>;
  readonly probes: readonly Probe[];
}

export interface Probe {
  readonly port: number;
  readonly protocol: Protocol;
  /** Returns true if a connection between the ports of two different pods is allowed. */
  isOpen(from: string, to: string): boolean;
}

/** Addresses of the pods, for policies that contain an address. */
export const addressOf: Readonly<Record<string, string>> = Object.fromEntries(
  ['x', 'y', 'z'].flatMap((namespace, row) =>
    ['a', 'b', 'c'].map((pod, column) => [`${namespace}/${pod}`, `10.42.${1 + (column % 2)}.${10 + row * 3 + column}`]),
  ),
);

type IsOpen = Probe['isOpen'];

const tcp = (port: number, isOpen: IsOpen): Probe => ({ port, protocol: 'TCP', isOpen });
const all: IsOpen = () => true;
const inside = (pod: string, namespace: string): boolean => pod.startsWith(`${namespace}/`);
const notTo =
  (...targets: readonly string[]): IsOpen =>
  (_from, to) =>
    !targets.includes(to);
const notInto =
  (namespace: string): IsOpen =>
  (_from, to) =>
    !inside(to, namespace);
const notOutOf =
  (namespace: string): IsOpen =>
  (from) =>
    !inside(from, namespace);
/** Returns a rule of the truth table: only these pods reach x/a. */
const onlyFrom =
  (isPeer: (pod: string) => boolean): IsOpen =>
  (from, to) =>
    to !== 'x/a' || isPeer(from);
/** Returns a rule of the truth table: x/a reaches only these pods. */
const onlyTo =
  (isPeer: (pod: string) => boolean): IsOpen =>
  (from, to) =>
    from !== 'x/a' || isPeer(to);

const is = (name: string): LabelSelector => ({ matchLabels: { pod: name } });
const named = (name: string): LabelSelector => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
const expression = (key: string, operator: 'In' | 'NotIn', ...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, values }],
});
const namespaceNot = (name: string): LabelSelector => expression('kubernetes.io/metadata.name', 'NotIn', name);
const number = (port: number | string, protocol: Protocol = 'TCP') => ({ port, protocol });

interface Rules {
  readonly ingress?: readonly object[];
  readonly egress?: readonly object[];
}

/** Returns a policy in the form in which a user writes it. */
function policy(key: string, podSelector: LabelSelector, rules: Rules): Readonly<Record<string, NetworkPolicy>> {
  const [namespace, name] = key.split('/');
  const policyTypes = [...(rules.ingress ? ['Ingress'] : []), ...(rules.egress ? ['Egress'] : [])];
  return {
    [key]: readPolicy({ metadata: { namespace, name, uid: key }, spec: { podSelector, policyTypes, ...rules } }),
  };
}

/** Returns a case with one step: policies, and the connections that they allow or deny. */
function one(
  title: string,
  pods: string,
  policies: Readonly<Record<string, NetworkPolicy>>,
  ...probes: readonly Probe[]
): NetpolCase {
  return { title, pods: pods.split(' '), steps: [{ policies, probes }] };
}

const overAll: LabelSelector = {};
const largeBlock = '0.0.0.0/4';
const host = (pod: string): string => `${addressOf[pod]}/32`;
const toBlock = (cidr: string, except?: readonly string[]): Rules => ({
  egress: [{ to: [{ ipBlock: { cidr, ...(except && { except }) } }] }],
});

export const netpolCases: readonly NetpolCase[] = [
  one(
    "should support a 'default-deny-ingress' policy",
    'x/a x/b y/a y/b',
    policy('x/deny-ingress', overAll, { ingress: [] }),
    tcp(80, notInto('x')),
  ),
  one(
    "should support a 'default-deny-all' policy",
    'x/a x/b y/a',
    policy('x/deny-all', overAll, { ingress: [], egress: [] }),
    tcp(80, (from, to) => !inside(from, 'x') && !inside(to, 'x')),
  ),
  one(
    'should enforce policy to allow traffic from pods within server namespace based on PodSelector',
    'x/a x/b x/c y/a',
    policy('x/from-b', is('a'), { ingress: [{ from: [{ podSelector: is('b') }] }] }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'x/b'),
    ),
  ),
  one(
    'should enforce policy to allow ingress traffic for a target',
    'x/a x/b y/a',
    {
      ...policy('x/deny-all', overAll, { ingress: [] }),
      ...policy('x/to-a', is('a'), { ingress: [{ from: [{ podSelector: {}, namespaceSelector: {} }] }] }),
    },
    tcp(80, (_from, to) => !inside(to, 'x') || to === 'x/a'),
  ),
  one(
    'should enforce policy to allow ingress traffic from pods in all namespaces',
    'x/a x/b y/a z/a',
    policy('x/from-all', is('a'), { ingress: [{ from: [{ namespaceSelector: { matchLabels: {} } }] }] }),
    tcp(80, all),
  ),
  one(
    'should enforce policy to allow traffic only from a different namespace, based on NamespaceSelector',
    'x/a x/b y/a z/a',
    policy('x/from-y', is('a'), { ingress: [{ from: [{ namespaceSelector: named('y') }] }] }),
    tcp(
      80,
      onlyFrom((pod) => inside(pod, 'y')),
    ),
  ),
  one(
    'should enforce policy based on PodSelector with MatchExpressions',
    'x/a x/b y/a',
    policy('x/from-b', is('a'), { ingress: [{ from: [{ podSelector: expression('pod', 'In', 'b') }] }] }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'x/b'),
    ),
  ),
  one(
    'should enforce policy based on NamespaceSelector with MatchExpressions',
    'x/a x/b y/a z/a',
    policy('x/from-y', is('a'), {
      ingress: [{ from: [{ namespaceSelector: expression('kubernetes.io/metadata.name', 'In', 'y') }] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => inside(pod, 'y')),
    ),
  ),
  one(
    'should enforce policy based on PodSelector or NamespaceSelector',
    'x/a x/b x/c y/a',
    policy('x/from-others-or-b', is('a'), {
      ingress: [{ from: [{ namespaceSelector: namespaceNot('x') }, { podSelector: is('b') }] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => !inside(pod, 'x') || pod === 'x/b'),
    ),
  ),
  one(
    'should enforce policy based on PodSelector and NamespaceSelector',
    'x/a x/b y/a y/b z/b',
    policy('x/from-b-of-others', is('a'), {
      ingress: [{ from: [{ namespaceSelector: namespaceNot('x'), podSelector: is('b') }] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'y/b' || pod === 'z/b'),
    ),
  ),
  one(
    'should enforce policy based on Multiple PodSelectors and NamespaceSelectors',
    'x/a x/b y/a y/b y/c',
    policy('x/from-b-and-c-of-others', is('a'), {
      ingress: [{ from: [{ namespaceSelector: namespaceNot('x'), podSelector: expression('pod', 'In', 'b', 'c') }] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => !inside(pod, 'x') && !pod.endsWith('/a')),
    ),
  ),
  one(
    'should enforce policy based on any PodSelectors',
    'x/a x/b x/c',
    policy('x/from-b-and-c', is('a'), { ingress: [{ from: [{ podSelector: is('b') }, { podSelector: is('c') }] }] }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'x/b' || pod === 'x/c'),
    ),
  ),
  one(
    'should enforce policy to allow traffic only from a pod in a different namespace based on PodSelector and NamespaceSelector',
    'x/a x/b y/a y/b z/a',
    policy('x/from-a-of-y', is('a'), {
      ingress: [{ from: [{ namespaceSelector: named('y'), podSelector: is('a') }] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'y/a'),
    ),
  ),
  one(
    'should enforce policy based on Ports',
    'x/a x/b y/a y/b z/a',
    policy('x/81-from-y', is('a'), { ingress: [{ from: [{ namespaceSelector: named('y') }], ports: [number(81)] }] }),
    tcp(
      81,
      onlyFrom((pod) => inside(pod, 'y')),
    ),
  ),
  {
    title: 'should enforce multiple, stacked policies with overlapping podSelectors',
    pods: ['x/a', 'x/b', 'y/a', 'y/b', 'z/a'],
    steps: [
      {
        policies: policy('x/81-from-y', is('a'), {
          ingress: [{ from: [{ namespaceSelector: named('y') }], ports: [number(81)] }],
        }),
        probes: [
          tcp(
            81,
            onlyFrom((pod) => inside(pod, 'y')),
          ),
          tcp(80, notTo('x/a')),
        ],
      },
      {
        policies: policy('x/80-from-y', is('a'), {
          ingress: [{ from: [{ namespaceSelector: named('y') }], ports: [number(80)] }],
        }),
        probes: [
          tcp(
            80,
            onlyFrom((pod) => inside(pod, 'y')),
          ),
          tcp(
            81,
            onlyFrom((pod) => inside(pod, 'y')),
          ),
        ],
      },
    ],
  },
  one(
    'should support allow-all policy',
    'x/a x/b y/a',
    policy('x/allow-all', overAll, { ingress: [{}] }),
    tcp(80, all),
    tcp(81, all),
  ),
  one(
    'should allow ingress access on one named port',
    'x/a x/b y/a',
    policy('x/named', overAll, { ingress: [{ ports: [number('serve-81-tcp')] }] }),
    tcp(81, all),
    tcp(80, notInto('x')),
  ),
  one(
    'should allow ingress access from namespace on one named port',
    'x/a x/b y/a z/a',
    policy('x/named-from-y', is('a'), {
      ingress: [{ from: [{ namespaceSelector: named('y') }], ports: [number('serve-80-tcp')] }],
    }),
    tcp(
      80,
      onlyFrom((pod) => inside(pod, 'y')),
    ),
    tcp(81, notTo('x/a')),
  ),
  one(
    'should allow egress access on one named port',
    'x/a y/a',
    policy('x/named', overAll, { egress: [{ ports: [number('serve-80-tcp')] }] }),
    tcp(80, all),
    tcp(81, notOutOf('x')),
  ),
  {
    title: 'should enforce updated policy',
    pods: ['x/a', 'y/a'],
    steps: [
      { policies: policy('x/all-then-none', overAll, { ingress: [{}] }), probes: [tcp(81, all)] },
      { policies: policy('x/all-then-none', overAll, { ingress: [] }), probes: [tcp(81, notInto('x'))] },
    ],
  },
  {
    title: 'should allow ingress access from updated namespace',
    pods: ['x/a', 'y/a'],
    steps: [
      {
        policies: policy('x/from-updated', is('a'), {
          ingress: [{ from: [{ namespaceSelector: { matchLabels: { ns2: 'updated' } } }] }],
        }),
        probes: [tcp(80, notTo('x/a'))],
      },
      {
        namespaceLabels: { y: { ns2: 'updated' } },
        probes: [
          tcp(
            80,
            onlyFrom((pod) => inside(pod, 'y')),
          ),
        ],
      },
    ],
  },
  {
    title: 'should allow ingress access from updated pod',
    pods: ['x/a', 'x/b'],
    steps: [
      {
        policies: policy('x/from-updated', is('a'), {
          ingress: [{ from: [{ podSelector: { matchLabels: { pod: 'b', pod2: 'updated' } } }] }],
        }),
        probes: [tcp(80, notTo('x/a'))],
      },
      {
        podLabels: { 'x/b': { pod: 'b', pod2: 'updated' } },
        probes: [
          tcp(
            80,
            onlyFrom((pod) => pod === 'x/b'),
          ),
        ],
      },
    ],
  },
  one(
    'should deny ingress from pods on other namespaces',
    'x/a x/b y/a z/a',
    policy('x/own-only', overAll, { ingress: [{ from: [{ podSelector: { matchLabels: {} } }] }] }),
    tcp(80, (from, to) => !inside(to, 'x') || inside(from, 'x')),
  ),
  {
    title: 'should deny ingress access to updated pod',
    pods: ['x/a', 'y/a'],
    steps: [
      {
        policies: policy('x/isolated', { matchLabels: { target: 'isolated' } }, { ingress: [] }),
        probes: [tcp(80, all)],
      },
      { podLabels: { 'x/a': { pod: 'a', target: 'isolated' } }, probes: [tcp(80, notTo('x/a'))] },
    ],
  },
  one(
    'should deny egress from pods based on PodSelector',
    'x/a x/b y/a',
    policy('x/no-egress', is('a'), { egress: [] }),
    tcp(
      80,
      onlyTo(() => false),
    ),
  ),
  one(
    'should deny egress from all pods in a namespace',
    'x/a x/b y/a',
    policy('x/no-egress', overAll, { egress: [] }),
    tcp(80, notOutOf('x')),
  ),
  one(
    'should work with Ingress, Egress specified together',
    'x/a x/b x/c y/a',
    policy('x/both', is('a'), { ingress: [{ from: [{ podSelector: is('b') }] }], egress: [{ ports: [{ port: 80 }] }] }),
    tcp(
      80,
      onlyFrom((pod) => pod === 'x/b'),
    ),
    tcp(81, (from, to) => from !== 'x/a' && (to !== 'x/a' || from === 'x/b')),
  ),
  one(
    'should support denying of egress traffic on the client side (even if the server explicitly allows this traffic)',
    'x/a y/a y/b',
    {
      ...policy('x/to-a-of-y', is('a'), {
        egress: [{ to: [{ namespaceSelector: named('y'), podSelector: is('a') }] }],
      }),
      ...policy('y/a-from-x', is('a'), {
        ingress: [{ from: [{ namespaceSelector: named('x'), podSelector: is('a') }] }],
      }),
      ...policy('y/b-from-x', is('b'), {
        ingress: [{ from: [{ namespaceSelector: named('x'), podSelector: is('a') }] }],
      }),
    },
    tcp(80, (from, to) => (from === 'x/a' ? to === 'y/a' : to !== 'y/a' && to !== 'y/b')),
  ),
  one(
    'should enforce egress policy allowing traffic to a server in a different namespace based on PodSelector and NamespaceSelector',
    'x/a y/a y/b',
    policy('x/to-a-of-y', is('a'), { egress: [{ to: [{ namespaceSelector: named('y'), podSelector: is('a') }] }] }),
    tcp(
      80,
      onlyTo((pod) => pod === 'y/a'),
    ),
  ),
  one(
    'should enforce ingress policy allowing any port traffic to a server on a specific protocol',
    'x/a y/a',
    policy('x/tcp-only', is('a'), { ingress: [{ ports: [{ protocol: 'TCP' }] }] }),
    tcp(80, all),
    { port: 80, protocol: 'UDP', isOpen: notTo('x/a') },
  ),
  {
    title: 'should enforce multiple ingress policies with ingress allow-all policy taking precedence',
    pods: ['x/a', 'y/a'],
    steps: [
      {
        policies: policy('x/only-80', overAll, { ingress: [{ ports: [{ port: 80 }] }] }),
        probes: [tcp(81, notInto('x'))],
      },
      { policies: policy('x/all', overAll, { ingress: [{}] }), probes: [tcp(81, all)] },
    ],
  },
  {
    title: 'should enforce multiple egress policies with egress allow-all policy taking precedence',
    pods: ['x/a', 'y/a'],
    steps: [
      {
        policies: policy('x/only-80', overAll, { egress: [{ ports: [{ port: 80 }] }] }),
        probes: [tcp(81, notOutOf('x'))],
      },
      { policies: policy('x/all', overAll, { egress: [{}] }), probes: [tcp(81, all)] },
    ],
  },
  {
    title: 'should stop enforcing policies after they are deleted',
    pods: ['x/a', 'y/a'],
    steps: [
      {
        policies: policy('x/deny-all', overAll, { ingress: [], egress: [] }),
        probes: [tcp(80, (from, to) => !inside(from, 'x') && !inside(to, 'x'))],
      },
      { policies: { 'x/deny-all': null }, probes: [tcp(80, all)] },
    ],
  },
  one(
    'should allow egress access to server in CIDR block',
    'x/a y/a y/b',
    policy('x/to-block', is('a'), toBlock(host('y/b'))),
    tcp(
      80,
      onlyTo((pod) => pod === 'y/b'),
    ),
  ),
  one(
    'should enforce except clause while egress access to server in CIDR block',
    'x/a x/b x/c',
    policy('x/to-block', is('a'), toBlock(largeBlock, [host('x/b')])),
    tcp(
      80,
      onlyTo((pod) => pod !== 'x/b'),
    ),
  ),
  {
    title: 'should ensure an IP overlapping both IPBlock.CIDR and IPBlock.Except is allowed',
    pods: ['x/a', 'x/b', 'x/c'],
    steps: [
      {
        policies: policy('x/to-block', is('a'), toBlock(largeBlock, [host('x/b')])),
        probes: [
          tcp(
            80,
            onlyTo((pod) => pod !== 'x/b'),
          ),
        ],
      },
      {
        policies: policy('x/to-block', is('a'), toBlock(host('x/b'))),
        probes: [
          tcp(
            80,
            onlyTo((pod) => pod === 'x/b'),
          ),
        ],
      },
    ],
  },
  {
    title:
      'should enforce policies to check ingress and egress policies can be controlled independently based on PodSelector',
    pods: ['x/a', 'x/b', 'y/a'],
    steps: [
      { policies: policy('x/egress', is('a'), { egress: [{}] }), probes: [tcp(80, all)] },
      { policies: policy('x/ingress', is('a'), { ingress: [] }), probes: [tcp(80, notTo('x/a'))] },
    ],
  },
  one(
    "should not mistakenly treat 'protocol: SCTP' as 'protocol: TCP', even if the plugin doesn't support SCTP",
    'x/a y/a',
    {
      ...policy('x/deny-ingress', overAll, { ingress: [] }),
      ...policy('x/sctp', is('a'), { ingress: [{ ports: [number(81, 'SCTP')] }] }),
    },
    tcp(81, notInto('x')),
  ),
  one(
    "should properly isolate pods that are selected by a policy allowing SCTP, even if the plugin doesn't support SCTP",
    'x/a y/a',
    policy('x/sctp', is('a'), { ingress: [{ ports: [number(80, 'SCTP')] }] }),
    tcp(81, notTo('x/a')),
  ),
  one(
    'should not allow access by TCP when a policy specifies only UDP',
    'x/a y/a',
    policy('x/udp', is('a'), { ingress: [{ ports: [number(81, 'UDP')] }] }),
    tcp(81, notTo('x/a')),
  ),
  one(
    'should enforce policy to allow traffic based on NamespaceSelector with MatchLabels using default ns label',
    'x/a x/b y/a z/a',
    policy('x/from-y', is('a'), { ingress: [{ from: [{ namespaceSelector: named('y') }] }] }),
    tcp(
      80,
      onlyFrom((pod) => inside(pod, 'y')),
    ),
  ),
  one(
    'should enforce policy based on NamespaceSelector with MatchExpressions using default ns label',
    'x/a x/b y/a z/a',
    policy('x/not-to-y', is('a'), { egress: [{ to: [{ namespaceSelector: namespaceNot('y') }] }] }),
    tcp(
      80,
      onlyTo((pod) => !inside(pod, 'y')),
    ),
  ),
  ...(['UDP', 'SCTP'] as const).flatMap((protocol): readonly NetpolCase[] => [
    one(
      `using ${protocol} should support a 'default-deny-ingress' policy`,
      'x/a x/b y/a y/b',
      policy('x/deny-all', overAll, { ingress: [] }),
      { port: 80, protocol, isOpen: notInto('x') },
    ),
    one(
      `using ${protocol} should enforce policy based on Ports`,
      'x/a x/b y/a z/a',
      policy('x/81-from-y', is('a'), {
        ingress: [{ from: [{ namespaceSelector: named('y') }], ports: [number(81, protocol)] }],
      }),
      { port: 81, protocol, isOpen: onlyFrom((pod) => inside(pod, 'y')) },
    ),
    one(
      `using ${protocol} should enforce policy to allow traffic only from a pod in a different namespace based on PodSelector and NamespaceSelector`,
      'x/a x/b y/a',
      policy('x/from-a-of-y', is('a'), {
        ingress: [{ from: [{ namespaceSelector: named('y'), podSelector: is('a') }] }],
      }),
      { port: 80, protocol, isOpen: onlyFrom((pod) => pod === 'y/a') },
    ),
  ]),
];
