import type { ClusterNetworkPolicy, ClusterRule, NamespacedName } from '../../model/workload.ts';
import type { WorkloadFacts } from '../part.ts';
import type { Direction } from '../policies/clauses.ts';
import { numbersInPods, numbersOf } from '../policies/selections.ts';
import { aclPriorityOf, actionsInOrder, rulesOf, turnsIn } from './levels.ts';
import { type ClusterSets, isNobody, type PeerSet } from './peer-sets.ts';
import { joinedPorts, type PortSet, portsMeet, portsOf, protocols, withoutPorts } from './port-sets.ts';

/**
 * Packets between a pod in `subject`, to which a policy applies, and a peer in `peers`, at a protocol and port in
 * `ports`.
 */
export interface Traffic {
  readonly subject: ReadonlySet<NamespacedName>;
  readonly peers: PeerSet;
  readonly ports: PortSet;
}

/** Decision of a policy about packets, with the ACL priority that orders it among all decisions. */
export interface Decision {
  readonly direction: Direction;
  /** Index of the rule; null for the decision that accepts packets within a group of namespaces. */
  readonly rule: number | null;
  readonly action: 'Accept' | 'Deny';
  readonly priority: number;
  readonly traffic: readonly Traffic[];
}

/**
 * Largest number of parts into which earlier Pass rules may divide the packets of a rule. With more parts, the rule
 * fails closed: a rule that denies ignores the Pass rules, and a rule that accepts accepts nothing.
 */
export const mostParts = 64;

/**
 * Yields the decisions of a policy, rule by rule. All ACLs are in the same tier of OVN
 * (agent/overlay/rows/acl-priorities.ts), where no ACL can pass a packet on to the next tier of Kubernetes. The packets
 * of a Pass rule are therefore excluded from all rules that follow it in the Admin tier.
 */
export function* decisionsOf(
  policy: ClusterNetworkPolicy,
  facts: WorkloadFacts,
  sets: ClusterSets,
): Generator<Decision, void, undefined> {
  const { subject } = policy;
  if (subject === null) return;
  for (const direction of ['Ingress', 'Egress'] as const) {
    const actions = actionsInOrder(policy, direction);
    const offset = actions.length - rulesOf(policy, direction).length;
    for (const [place, action] of actions.entries()) {
      if (action === null) continue;
      const rule = place < offset ? null : place - offset;
      const own = rule === null ? groupsOf(policy, facts, sets) : trafficOf(policy, direction, rule, facts, sets);
      const passes = policy.tier === 'Admin' ? passedBefore(policy, direction, rule ?? 0, facts, sets) : [];
      const traffic = withoutPasses(own, passes, sets) ?? (action === 'Deny' ? own : []);
      const priority = aclPriorityOf(policy, turnsIn(actions.slice(0, place + 1)));
      yield { direction, rule, action, priority, traffic };
    }
  }
}

/** Returns true if earlier Pass rules divide the packets of a rule of the policy into too many parts. */
export function isDividedTooOften(policy: ClusterNetworkPolicy, facts: WorkloadFacts, sets: ClusterSets): boolean {
  if (policy.tier !== 'Admin') return false;
  return (['Ingress', 'Egress'] as const).some((direction) =>
    rulesOf(policy, direction).some(({ action }, rule) => {
      if (action === 'Pass') return false;
      const own = trafficOf(policy, direction, rule, facts, sets);
      return withoutPasses(own, passedBefore(policy, direction, rule, facts, sets), sets) === null;
    }),
  );
}

/** Returns the policies of a tier in the order of their precedence. */
export function inOrder(policies: Iterable<ClusterNetworkPolicy>): readonly ClusterNetworkPolicy[] {
  return [...policies].toSorted((a, b) => a.priority - b.priority || (a.name < b.name ? -1 : 1));
}

/** Returns the packets that a rule concerns. */
function trafficOf(
  policy: ClusterNetworkPolicy,
  direction: Direction,
  place: number,
  facts: WorkloadFacts,
  sets: ClusterSets,
): readonly Traffic[] {
  const rule = rulesOf(policy, direction)[place];
  if (rule === undefined || policy.subject === null) return [];
  const isDeny = rule.action === 'Deny';
  const whole = { subject: sets.pods(policy.subject, isDeny), peers: sets.peers(rule.peers, isDeny) };
  if (rule.protocols.length === 0) return [{ ...whole, ports: 'any' as const }].filter(isSome);
  const numbered = rule.protocols.flatMap((one) =>
    'namedPort' in one ? [] : [portsOf(one.protocol, [{ first: one.first, last: one.last }])],
  );
  const numbers = numbered.flatMap((set) => (set === 'any' ? [] : [set]));
  const ofNumbers = numbers.length === 0 ? [] : [{ ...whole, ports: joinedPorts(numbers) }];
  const named = rule.protocols.flatMap((one) => ('namedPort' in one ? [one.namedPort] : []));
  const ofNames = [...new Set(named)].flatMap((name) => namedTraffic(whole, rule, direction, name, facts, sets));
  return [...ofNumbers, ...ofNames].filter(isSome);
}

/** Returns the packets to a named port: one part for each number that the destination pods have by this name. */
function namedTraffic(
  { subject, peers }: Pick<Traffic, 'subject' | 'peers'>,
  { peers: selected, action }: ClusterRule,
  direction: Direction,
  name: string,
  { workload }: WorkloadFacts,
  sets: ClusterSets,
): readonly Traffic[] {
  const destinations =
    direction === 'Ingress'
      ? subject
      : new Set(selected.flatMap((peer) => ('pods' in peer ? [...sets.pods(peer.pods, action === 'Deny')] : [])));
  const found = [...destinations].flatMap((key) => {
    const pod = workload.pods.get(key);
    return pod === undefined ? [] : [[key, pod] as const];
  });
  return protocols.flatMap((protocol) => {
    const port = { name, protocol };
    const byNumber = new Map<number, Set<NamespacedName>>();
    for (const [key, pod] of found)
      for (const number of numbersOf(port, pod)) byNumber.set(number, (byNumber.get(number) ?? new Set()).add(key));
    const served = numbersInPods(
      port,
      found.map(([, pod]) => pod),
    );
    return served.map((number) => {
      const pods = byNumber.get(number) ?? new Set();
      return {
        subject: direction === 'Ingress' ? pods : subject,
        peers: direction === 'Ingress' ? peers : { addresses: sets.addressesOf(pods), spans: [] },
        ports: portsOf(protocol, [{ first: number, last: number }]),
      };
    });
  });
}

/** Returns the packets between pods of the same group, one part for each group with pods of the policy. */
function groupsOf(
  { subject, groupLabel }: ClusterNetworkPolicy,
  { workload }: WorkloadFacts,
  sets: ClusterSets,
): readonly Traffic[] {
  if (subject === null || groupLabel === undefined) return [];
  const groups = new Map<string, Set<NamespacedName>>();
  for (const key of sets.pods({ namespaces: {}, pods: {} })) {
    const group = groupOf(workload.namespaces.get(workload.pods.get(key)?.namespace ?? ''), groupLabel);
    if (group !== null) groups.set(group, (groups.get(group) ?? new Set()).add(key));
  }
  const own = sets.pods(subject);
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, pods]) => ({
      subject: new Set([...pods].filter((key) => own.has(key))),
      peers: { addresses: sets.addressesOf(pods), spans: [] },
      ports: 'any' as const,
    }))
    .filter(isSome);
}

/**
 * Returns the group of a namespace: the value of its label, or the namespace itself; null if the namespace is unknown.
 */
export function groupOf(
  namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> } | undefined,
  label: string,
): string | null {
  if (namespace === undefined) return null;
  const value = Object.hasOwn(namespace.labels, label) ? namespace.labels[label] : undefined;
  return value === undefined ? `namespace ${namespace.name}` : `label ${value}`;
}

/** Returns the packets of the Pass rules that precede a rule, in the policy itself and in the policies before it. */
function passedBefore(
  policy: ClusterNetworkPolicy,
  direction: Direction,
  rule: number,
  facts: WorkloadFacts,
  sets: ClusterSets,
): readonly Traffic[] {
  const passes: Traffic[] = [];
  for (const one of inOrder(facts.workload.clusterPolicies.values())) {
    if (one.tier !== 'Admin') continue;
    const isSame = one.name === policy.name;
    for (const [place, { action }] of rulesOf(one, direction).entries())
      if (action === 'Pass' && (!isSame || place < rule)) passes.push(...trafficOf(one, direction, place, facts, sets));
    if (isSame) break;
  }
  return passes;
}

/** Returns the packets that no Pass rule concerns; null if they consist of more than `mostParts` parts. */
function withoutPasses(
  traffic: readonly Traffic[],
  passes: readonly Traffic[],
  sets: ClusterSets,
): readonly Traffic[] | null {
  let left = traffic;
  for (const pass of passes) {
    left = left.flatMap((one) => withoutPass(one, pass, sets));
    if (left.length > mostParts) return null;
  }
  return left;
}

/** Returns a part of the packets without those that a Pass rule concerns, divided into at most three parts. */
function withoutPass(one: Traffic, pass: Traffic, sets: ClusterSets): readonly Traffic[] {
  if (!portsMeet(one.ports, pass.ports)) return [one];
  const [others, both] = [new Set<NamespacedName>(), new Set<NamespacedName>()];
  for (const key of one.subject) (pass.subject.has(key) ? both : others).add(key);
  const shared = sets.common(one.peers, pass.peers);
  if (both.size === 0 || isNobody(shared)) return [one];
  const ports = withoutPorts(one.ports, pass.ports);
  return [
    { ...one, subject: others },
    { ...one, subject: both, peers: sets.without(one.peers, pass.peers) },
    ...(ports === null ? [] : [{ subject: both, peers: shared, ports }]),
  ].filter(isSome);
}

function isSome({ subject, peers }: Traffic): boolean {
  return subject.size > 0 && !isNobody(peers);
}
