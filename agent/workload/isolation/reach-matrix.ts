import { isolationName, type Reach, type ReachMatrix } from '../../model/namespace-isolation.ts';
import type { Namespace, Pod, Protocol } from '../../model/workload.ts';
import { spansContain } from '../../net/spans.ts';
import { withoutLength } from '../../overlay/addresses.ts';
import { clusterSets } from '../cluster-policies/peer-sets.ts';
import { hasPort, protocols } from '../cluster-policies/port-sets.ts';
import { type Decision, decisionsOf, groupOf, type Traffic } from '../cluster-policies/traffic.ts';
import type { WorkloadFacts } from '../part.ts';
import type { Direction } from '../policies/clauses.ts';
import { isolationOf } from './isolation-policy.ts';
import { type Endpoint, type FirstPacket, networkPolicyVerdict } from './network-policy-verdict.ts';

/** Port that is examined in any case, for rules without ports. */
const anyPort = 1;

/**
 * Returns the connections that the policies of all tiers allow between pods of each pair of namespaces. The decisions
 * of cluster policies are those from which their rows are planned; network policies are evaluated by their fields. A
 * namespace without pods in the network counts as one with a single pod without labels. The port numbers of each
 * protocol are divided into ranges that no rule divides further, and one port of each range is examined.
 */
export function reachMatrix(present: WorkloadFacts): ReachMatrix {
  const facts = withPodInEach(present);
  const { workload } = facts;
  const decisionsAt = decisionsByPod(facts);
  const isolation = isolationOf(workload.clusterPolicies.get(isolationName));
  const names = [...workload.namespaces.keys()].toSorted();
  const isByAddress = hasRanges(facts);
  const labelsUsed = labelsOfPodsIn(facts);
  const pods = new Map(names.map((name) => [name, endpointsIn(name, facts, labelsUsed, isByAddress)]));
  const ports = portsIn(facts);
  const reachOf = (from: string, to: string): Reach => {
    const seen = new Set<boolean>();
    for (const source of pods.get(from) ?? [])
      for (const destination of pods.get(to) ?? [])
        for (const protocol of protocols)
          for (const port of ports[protocol]) {
            seen.add(passes({ from: source, to: destination, protocol, port }, decisionsAt, facts));
            if (seen.size > 1) return 'some';
          }
    return seen.has(false) ? 'none' : 'all';
  };
  return {
    isolation,
    namespaces: names.map((name) => ({ name, group: groupIn(workload.namespaces.get(name), isolation) })),
    reaches: names.flatMap((from) => names.map((to) => ({ from, to, reach: reachOf(from, to) }))),
  };
}

function groupIn(namespace: Namespace | undefined, isolation: ReachMatrix['isolation']): string | null {
  if (namespace === undefined || isolation === null || isolation.globalNamespaces.includes(namespace.name)) return null;
  return groupOf(namespace, isolation.groupLabel)?.replace(/^\w+ /, '') ?? null;
}

/** Returns true if a packet passes all tiers of policies at both ends of its connection. */
function passes(packet: FirstPacket, decisionsAt: DecisionsAt, facts: WorkloadFacts): boolean {
  return (['Egress', 'Ingress'] as const).every((direction) => {
    const [own, other] = direction === 'Ingress' ? [packet.to, packet.from] : [packet.from, packet.to];
    const ofPod = decisionsAt(own.key)[direction];
    const admin = decided(packet, other, ofPod.Admin);
    if (admin !== null) return admin;
    return networkPolicyVerdict(packet, direction, facts) ?? decided(packet, other, ofPod.Baseline) ?? true;
  });
}

/** Action of a decision about packets of a pod, with the peers and ports of these packets. */
type OwnPart = Pick<Decision, 'action'> & Pick<Traffic, 'peers' | 'ports'>;

/** Returns the decisions that apply to a pod, for each direction and tier, the highest precedence first. */
type DecisionsAt = (key: string) => Readonly<Record<Direction, Readonly<Record<'Admin' | 'Baseline', OwnPart[]>>>>;

function decisionsByPod(facts: WorkloadFacts): DecisionsAt {
  const sets = clusterSets(facts);
  const found = new Map<string, ReturnType<DecisionsAt>>();
  const at: DecisionsAt = (key) => {
    const known = found.get(key) ?? { Ingress: { Admin: [], Baseline: [] }, Egress: { Admin: [], Baseline: [] } };
    found.set(key, known);
    return known;
  };
  const all = [...facts.workload.clusterPolicies.values()].flatMap((policy) =>
    [...decisionsOf(policy, facts, sets)].map((decision) => ({ ...decision, tier: policy.tier })),
  );
  for (const { tier, direction, action, traffic } of all.toSorted((a, b) => b.priority - a.priority))
    for (const { subject, peers, ports } of traffic)
      for (const key of subject) at(key)[direction][tier].push({ action, peers, ports });
  return at;
}

/**
 * Returns true if the decisions of a tier accept a packet, and false if they deny it; null if none of them applies to
 * it.
 */
function decided(packet: FirstPacket, other: Endpoint, parts: readonly OwnPart[]): boolean | null {
  const found = parts.find(
    ({ peers, ports }) =>
      hasPort(ports, packet.protocol, packet.port) &&
      other.addresses.some((address) => peers.addresses.has(address) || spansContain(peers.spans, address)),
  );
  return found === undefined ? null : found.action === 'Accept';
}

/**
 * Returns the pods of a namespace that take part in the network, one of each kind that policies can distinguish. Such a
 * pod also stands for a second pod of its kind, so a connection from the pod to itself is examined as well.
 */
function endpointsIn(
  namespace: string,
  facts: WorkloadFacts,
  labelsUsed: readonly string[],
  isByAddress: boolean,
): readonly Endpoint[] {
  const found = new Map<string, Endpoint>();
  for (const [key, pod] of facts.workload.pods) {
    if (pod.namespace !== namespace || !isInNetwork(pod, facts.addresses.get(key))) continue;
    const addresses = (facts.addresses.get(key) ?? []).map(withoutLength);
    found.set(
      JSON.stringify([labelsUsed.map((label) => pod.labels[label] ?? null), pod.ports, isByAddress ? addresses : null]),
      { key, pod, addresses },
    );
  }
  return [...found.values()];
}

/** Returns true if a pod takes part in the network of pods. */
function isInNetwork({ isHostNetwork, isOver }: Pod, addresses: readonly string[] = []): boolean {
  return !isHostNetwork && !isOver && addresses.length > 0;
}

/** Returns the names of the labels by which policies select pods. */
function labelsOfPodsIn({ workload }: WorkloadFacts): readonly string[] {
  const ofNamespaces = [...workload.policies.values()].flatMap(({ podSelector, ingress, egress }) => [
    podSelector,
    ...[...ingress, ...egress].flatMap(({ peers }) => peers.flatMap((peer) => peer.podSelector ?? [])),
  ]);
  const ofCluster = [...workload.clusterPolicies.values()].flatMap(({ subject, ingress, egress }) => [
    ...(subject === null ? [] : [subject.pods]),
    ...[...ingress, ...egress].flatMap(({ peers }) =>
      peers.flatMap((peer) => ('pods' in peer ? [peer.pods.pods] : [])),
    ),
  ]);
  const keys = [...ofNamespaces, ...ofCluster].flatMap(({ matchLabels = {}, matchExpressions = [] }) => [
    ...Object.keys(matchLabels),
    ...matchExpressions.map(({ key }) => key),
  ]);
  return [...new Set(keys)];
}

/** Returns true if a rule may distinguish pods by their addresses. */
function hasRanges({ workload }: WorkloadFacts): boolean {
  const ofNamespaces = [...workload.policies.values()].flatMap(({ ingress, egress }) => [...ingress, ...egress]);
  const ofCluster = [...workload.clusterPolicies.values()].flatMap(({ ingress, egress }) => [...ingress, ...egress]);
  return (
    ofNamespaces.some(({ peers }) => peers.some(({ ipBlock }) => ipBlock !== undefined)) ||
    ofCluster.some(({ peers }) => peers.some((peer) => !('pods' in peer)))
  );
}

/**
 * Adds a pod without labels to each namespace that has no pod in the network. The address of this pod is in no range of
 * a rule.
 */
function withPodInEach(facts: WorkloadFacts): WorkloadFacts {
  const [pods, addresses] = [new Map(facts.workload.pods), new Map(facts.addresses)];
  const inNetwork = [...pods].filter(([key, pod]) => isInNetwork(pod, addresses.get(key)));
  const inhabited = new Set(inNetwork.map(([, pod]) => pod.namespace));
  for (const namespace of facts.workload.namespaces.keys()) {
    if (inhabited.has(namespace)) continue;
    const key = `${namespace}/`;
    pods.set(key, { ...emptyPod, namespace });
    addresses.set(key, [`none-${namespace}`]);
  }
  return { ...facts, workload: { ...facts.workload, pods }, addresses };
}

const emptyPod: Pod = {
  namespace: '',
  name: '',
  uid: '',
  labels: {},
  annotations: {},
  nodeName: 'none',
  isHostNetwork: false,
  isOver: false,
  podIPs: [],
  ports: [],
};

/** Returns, for each protocol, a port of every range of port numbers that no rule divides further. */
function portsIn({ workload }: WorkloadFacts): Readonly<Record<Protocol, readonly number[]>> {
  const found = { TCP: new Set([anyPort]), UDP: new Set([anyPort]), SCTP: new Set([anyPort]) };
  const put = (protocol: Protocol, first: number, last: number): void => {
    found[protocol].add(first);
    if (last < 65_535) found[protocol].add(last + 1);
  };
  for (const { ingress, egress } of workload.policies.values())
    for (const { ports } of [...ingress, ...egress])
      for (const { protocol, port, endPort } of ports)
        if (typeof port === 'number') put(protocol, port, endPort ?? port);
  let hasNames = false;
  for (const { ingress, egress } of workload.clusterPolicies.values())
    for (const rule of [...ingress, ...egress])
      for (const one of rule.protocols) {
        if ('first' in one) put(one.protocol, one.first, one.last);
        else hasNames = true;
      }
  const isNamed = ({ ports }: { readonly ports: readonly { readonly port: number | string | null }[] }): boolean =>
    ports.some(({ port }) => typeof port === 'string');
  hasNames ||= [...workload.policies.values()].some(({ ingress, egress }) => [...ingress, ...egress].some(isNamed));
  if (hasNames)
    for (const pod of workload.pods.values())
      for (const { protocol, containerPort, name } of pod.ports)
        if (name !== null) put(protocol, containerPort, containerPort);
  const sorted = (protocol: Protocol): readonly number[] => [...found[protocol]].toSorted((a, b) => a - b);
  return { TCP: sorted('TCP'), UDP: sorted('UDP'), SCTP: sorted('SCTP') };
}
