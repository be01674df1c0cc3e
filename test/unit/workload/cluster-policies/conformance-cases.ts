// Cases of the conformance tests for ClusterNetworkPolicy (kubernetes-sigs/network-policy-api, conformance/tests), by
// the names of the tests and the titles of their parts: the policies of each, and which pods can then connect to which.
import type { ClusterNetworkPolicy, Labels, NetworkPolicy, Protocol } from '../../../../agent/model/workload.ts';
import { readClusterPolicy } from '../../../../agent/workload/cluster-policies/read-cluster-policy.ts';
import { readPolicy } from '../../../../agent/workload/policies/read-policy.ts';

export interface ConformanceCase {
  /** Name of the test, and title of its part. */
  readonly title: string;
  readonly steps: readonly ConformanceStep[];
}

export interface ConformanceStep {
  /** All cluster policies of the step. */
  readonly cluster: readonly ClusterNetworkPolicy[];
  /** Network policies of the step. */
  readonly policies?: Readonly<Record<string, NetworkPolicy>>;
  readonly namespaceLabels?: Readonly<Record<string, Labels>>;
  readonly probes: readonly ConformanceProbe[];
}

export interface ConformanceProbe {
  readonly protocol: Protocol;
  readonly port: number;
  /** Returns true if a connection between different namespaces is allowed; `node` is the first node. */
  isOpen(from: string, to: string): boolean;
}

export type Tier = ClusterNetworkPolicy['tier'];
type Direction = 'Ingress' | 'Egress';
type Rule = { readonly action: string; readonly peer: string; readonly protocols?: readonly object[] };

/** Namespace to which the policies apply, and its peers. */
export const subject = 'gryffindor';
export const peers = ['ravenclaw', 'hufflepuff', 'slytherin'] as const;
const [free, limited, blocked] = peers;

export function clusterPolicy(name: string, tier: Tier, priority: number, spec: object): ClusterNetworkPolicy {
  const all = { tier, priority, subject: { namespaces: houses(subject) }, ...spec };
  return readClusterPolicy({ metadata: { name, uid: `uid-${name}` }, spec: all });
}

function houses(name: string): object {
  return { matchLabels: { 'conformance-house': name } };
}

export function protocolOf(protocol: Protocol, number: number): object {
  return { [protocol.toLowerCase()]: { destinationPort: { number } } };
}

/** Ports of a protocol: the one of rules that deny or pass, and the one of the rule that accepts. */
const ports: Readonly<Record<Protocol, readonly [number, number]>> = {
  TCP: [80, 8080],
  UDP: [53, 5353],
  SCTP: [9003, 9005],
};
const all: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];

/** Rules of a direction for these protocols, in the order in which the tests begin. */
function rulesFor(tier: Tier, protocols: readonly Protocol[]): readonly Rule[] {
  const at = (place: 0 | 1): readonly object[] => protocols.map((one) => protocolOf(one, ports[one][place]));
  const rules: readonly Rule[] = [
    { action: 'Accept', peer: free },
    { action: 'Deny', peer: free },
    { action: 'Pass', peer: free },
    { action: 'Deny', peer: blocked, protocols: at(0) },
    { action: 'Pass', peer: blocked, protocols: at(0) },
    { action: 'Accept', peer: limited, protocols: at(1) },
    { action: 'Deny', peer: limited },
  ];
  return tier === 'Admin' ? rules : rules.filter(({ action }) => action !== 'Pass');
}

function swapped(rules: readonly Rule[], one: number, other: number): readonly Rule[] {
  return rules.map((rule, place) => (place === one ? rules[other] : place === other ? rules[one] : rule) as Rule);
}

function specOf(rules: readonly Rule[], directions: readonly Direction[]): object {
  const written = (key: 'from' | 'to') =>
    rules.map(({ action, peer, protocols }) => ({
      action,
      [key]: [{ namespaces: houses(peer) }],
      ...(protocols && { protocols }),
    }));
  return {
    ...(directions.includes('Ingress') && { ingress: written('from') }),
    ...(directions.includes('Egress') && { egress: written('to') }),
  };
}

/** Returns the probes of a step. `isOpen` receives the peer of the policy's pods, in one of the directions. */
function probesOf(
  protocols: readonly Protocol[],
  directions: readonly Direction[],
  isOpen: (peer: string, place: 0 | 1) => boolean,
): readonly ConformanceProbe[] {
  return protocols.flatMap((protocol) =>
    ([0, 1] as const).map((place) => ({
      protocol,
      port: ports[protocol][place],
      isOpen: (from, to) => {
        if (to === 'node') return true;
        if (from === subject && directions.includes('Egress')) return isOpen(to, place);
        return to === subject && directions.includes('Ingress') ? isOpen(from, place) : true;
      },
    })),
  );
}

function casesOf(
  tier: Tier,
  name: string,
  protocols: readonly Protocol[],
  directions: readonly Direction[],
): readonly ConformanceCase[] {
  const word = directions.length > 1 ? 'gress' : (directions[0] ?? '').toLowerCase();
  const isMixed = protocols.length > 1;
  const about = isMixed ? 'across different protocols' : `for ${protocols[0]} protocol`;
  const ordered = isMixed ? '' : '; ensure rule ordering is respected';
  const atPorts = isMixed ? ' at the specified ports' : ' at the specified port';
  const begin = rulesFor(tier, protocols);
  const step = (rules: readonly Rule[], isOpen: (peer: string, place: 0 | 1) => boolean): ConformanceStep => ({
    cluster: [clusterPolicy('rules', tier, 10, specOf(rules, directions))],
    probes: probesOf(protocols, directions, isOpen),
  });
  const specified = (peer: string, place: 0 | 1, isFree: boolean, isPassed: boolean): boolean => {
    if (peer === free) return isFree;
    return peer === limited ? place === 1 : isPassed || place === 1;
  };
  const part = (start: string, action: string, end: string) =>
    `CNP${tier}Tier${name}: Should support ${start} '${action}-${word}' policy ${about}${end}`;
  const denied = swapped(begin, 0, 1);
  const first = step(begin, (peer, place) => specified(peer, place, true, false));
  const second = step(denied, (peer, place) => specified(peer, place, false, false));
  const own = [
    { title: part('an', 'allow', ordered), steps: [first] },
    { title: part('an', 'allow', atPorts), steps: [first] },
    { title: part('an', 'deny', ordered), steps: [first, second] },
    { title: part('a', 'deny', atPorts), steps: [second] },
  ];
  if (tier === 'Baseline') return own;
  const passed = swapped(denied, 0, 2);
  return [
    ...own,
    {
      title: part('an', 'pass', ordered),
      steps: [second, step(passed, (peer, place) => specified(peer, place, true, false))],
    },
    {
      title: part('a', 'pass', atPorts),
      steps: [step(swapped(passed, 3, 4), (peer, place) => specified(peer, place, true, true))],
    },
  ];
}

const toBlocked = (action: string) => ({
  ingress: [{ action, from: [{ namespaces: houses(blocked) }] }],
  egress: [{ action, to: [{ namespaces: houses(blocked) }] }],
});
const between = (isOpen: boolean): readonly ConformanceProbe[] =>
  [80, 8080].map((port) => ({
    protocol: 'TCP',
    port,
    isOpen: (from, to) => isOpen || !([from, to].includes(subject) && [from, to].includes(blocked)),
  }));
const networkPolicy = {
  [`${subject}/allow`]: readPolicy({
    metadata: { namespace: subject, name: 'allow' },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ namespaceSelector: houses(blocked) }] }],
      egress: [{ to: [{ namespaceSelector: houses(blocked) }] }],
    },
  }),
};
/** Probes under the network policy, which isolates the subject. */
const isolated: readonly ConformanceProbe[] = [80, 8080].map((port) => ({
  protocol: 'TCP',
  port,
  isOpen: (from, to) => ![from, to].includes(subject) || [from, to].includes(blocked),
}));
const isolatedAndDenied: readonly ConformanceProbe[] = isolated.map((probe) => ({
  ...probe,
  isOpen: (from, to) => ![from, to].includes(subject),
}));

const priorities: readonly ConformanceCase[] = (() => {
  const name = 'CNPAdminTierPriorityField';
  const of = (priority: number) => [
    clusterPolicy('of-50', 'Admin', 50, toBlocked('Deny')),
    clusterPolicy('moved', 'Admin', priority, toBlocked('Pass')),
    clusterPolicy('base', 'Baseline', 10, toBlocked('Accept')),
  ];
  const first = { cluster: of(60), probes: between(false) };
  return [
    { title: `${name}: Should Deny traffic from slytherin to gryffindor respecting admin CNP`, steps: [first] },
    { title: `${name}: Should Deny traffic to slytherin from gryffindor respecting admin CNP`, steps: [first] },
    {
      title: `${name}: Should respect admin CNP priority field; thus passing both ingress and egress traffic over to baseline CNP`,
      steps: [first, { cluster: of(40), probes: between(true) }],
    },
  ];
})();

const integration: readonly ConformanceCase[] = (() => {
  const name = 'CNPAdminTierIntegration';
  const of = (action: string) => [
    clusterPolicy('pass', 'Admin', 10, toBlocked(action)),
    clusterPolicy('base', 'Baseline', 10, toBlocked('Deny')),
  ];
  const denied = { cluster: of('Deny'), policies: networkPolicy, probes: isolatedAndDenied };
  const passed = { cluster: of('Pass'), policies: networkPolicy, probes: isolated };
  const withoutPolicy = { cluster: of('Pass'), probes: between(false) };
  const support = (word: string, tier: string) =>
    `${name}: Should support a 'pass-${word}' policy for admin CNP and respect the match for ${tier}`;
  return [
    { title: `${name}: Should Deny traffic from slytherin to gryffindor respecting admin CNP`, steps: [denied] },
    { title: `${name}: Should Deny traffic to slytherin from gryffindor respecting admin CNP`, steps: [denied] },
    { title: support('ingress', 'network policy'), steps: [denied, passed] },
    { title: support('egress', 'network policy'), steps: [passed] },
    { title: support('ingress', 'baseline cluster network policy'), steps: [passed, withoutPolicy] },
    { title: support('egress', 'baseline cluster network policy'), steps: [withoutPolicy] },
  ];
})();

const everywhere = [{ networks: ['0.0.0.0/0', '::/0'] }];

/** Cases with ranges of addresses as peers. `addresses` are those of the two peers that are not blocked. */
function cidrCases(tier: Tier, addresses: readonly string[]): readonly ConformanceCase[] {
  const name = `CNP${tier}TierEgressInlineCIDRPeers`;
  const rules = [
    { action: 'Accept', to: [{ namespaces: houses(blocked) }] },
    { action: 'Deny', to: everywhere },
  ];
  const own = { action: 'Accept', to: [{ networks: addresses.map((address) => `${address}/32`) }] };
  const probes = (isOpen: (to: string) => boolean): readonly ConformanceProbe[] =>
    all.map((protocol) => ({
      protocol,
      port: ports[protocol][0],
      isOpen: (from, to) => from !== subject || isOpen(to),
    }));
  const step = (egress: readonly object[], isOpen: (to: string) => boolean): ConformanceStep => ({
    cluster: [clusterPolicy('ranges', tier, 85, { egress })],
    probes: probes(isOpen),
  });
  return [
    {
      title: `${name}: Should support a 'deny-egress' rule policy for egress-cidr-peer`,
      steps: [
        step(rules, (to) => to === blocked),
        {
          ...step(rules, () => false),
          namespaceLabels: { [blocked]: { 'conformance-house': 'denied-namespace-label' } },
        },
        { ...step(rules, (to) => to === blocked), namespaceLabels: { [blocked]: { 'conformance-house': blocked } } },
      ],
    },
    {
      title: `${name}: Should support an 'allow-egress' rule policy for egress-cidr-peer`,
      steps: [step([own, ...rules], (to) => to !== 'node')],
    },
  ];
}

function namedPortCases(tier: Tier): readonly ConformanceCase[] {
  return (['Egress', 'Ingress'] as const).map((direction) => {
    const [protocol, name] = direction === 'Egress' ? (['TCP', 'web'] as const) : (['UDP', 'dns'] as const);
    const rules = rulesFor(tier, [protocol]).map((rule) =>
      rule.action === 'Accept' && rule.protocols ? { ...rule, protocols: [{ destinationNamedPort: name }] } : rule,
    );
    return {
      title: `CNP${tier}Tier${direction}NamedPort: Should support an 'allow-${direction.toLowerCase()}' policy for named port`,
      steps: [
        {
          cluster: [clusterPolicy('named', tier, 10, specOf(rules, [direction]))],
          probes: probesOf([protocol], [direction], (peer, place) => {
            if (peer === limited) return place === 0;
            return peer === free || place === 1;
          }),
        },
      ],
    };
  });
}

/** Number of a port in the cases with nodes as peers, in which the tests use ports of the host network. */
const hostPort = 34_345;

function nodeCases(tier: Tier): readonly ConformanceCase[] {
  const name = `CNP${tier}TierEgressNodePeers`;
  const nodes = [{ nodes: { matchLabels: { 'kubernetes.io/os': 'linux' } } }];
  const range = { tcp: { destinationPort: { range: { start: hostPort, end: hostPort + 1 } } } };
  const egress = [
    {
      action: 'Accept',
      to: nodes,
      protocols: [tier === 'Admin' ? protocolOf('TCP', hostPort) : range],
    },
    ...(tier === 'Admin' ? [{ action: 'Pass', to: nodes, protocols: [protocolOf('UDP', hostPort)] }] : []),
    { action: 'Deny', to: [...nodes, { namespaces: houses(blocked) }, ...everywhere] },
  ];
  const probe = (protocol: Protocol, port: number, isToNode: boolean): ConformanceProbe => ({
    protocol,
    port,
    isOpen: (from, to) => from !== subject || (to === 'node' && isToNode),
  });
  const step = (...probes: readonly ConformanceProbe[]): ConformanceStep => ({
    cluster: [clusterPolicy('nodes', tier, 75, { egress })],
    probes,
  });
  const title = (start: string, action: string) =>
    `${name}: Should support ${start} '${action}-egress' rule policy for egress-node-peer`;
  return [
    { title: title('an', 'allow'), steps: [step(probe('TCP', hostPort, true))] },
    ...(tier === 'Admin' ? [{ title: title('a', 'pass'), steps: [step(probe('UDP', hostPort, true))] }] : []),
    {
      title: title('a', 'deny'),
      steps: [step(...all.map((protocol) => probe(protocol, hostPort + 2, false)))],
    },
  ];
}

/** Returns the cases of both tiers. `addresses` are those of the peers that no rule blocks. */
export function conformanceCases(addresses: readonly string[]): readonly ConformanceCase[] {
  return (['Admin', 'Baseline'] as const).flatMap((tier) => [
    ...(['Egress', 'Ingress'] as const).flatMap((direction) =>
      all.flatMap((protocol) => casesOf(tier, `${direction}${protocol}`, [protocol], [direction])),
    ),
    ...casesOf(tier, 'Gress', all, ['Ingress', 'Egress']),
    ...(tier === 'Admin' ? [...priorities, ...integration] : []),
    ...cidrCases(tier, addresses),
    ...namedPortCases(tier),
    ...nodeCases(tier),
  ]);
}
