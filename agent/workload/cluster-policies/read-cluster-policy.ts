import type {
  ClusterNetworkPolicy,
  ClusterPeer,
  ClusterProtocol,
  ClusterRule,
  LabelSelector,
  Labels,
  Protocol,
  SelectedPods,
  UnservedAsk,
} from '../../model/workload.ts';
import { parseRange } from '../../net/address-range.ts';
import { subnetOf } from '../../overlay/addresses.ts';
import { overBudget } from '../budget.ts';
import { actionsInOrder, turnsIn } from './levels.ts';

/** Annotation with the label by which a policy groups namespaces (model/workload.ts, groupLabel). */
export const groupsAnnotation = 'microshift-net/accept-own-group';

interface ApiPods {
  readonly namespaces?: LabelSelector;
  readonly pods?: { readonly namespaceSelector?: LabelSelector; readonly podSelector?: LabelSelector };
}

interface ApiPeer extends ApiPods {
  readonly nodes?: LabelSelector;
  readonly networks?: readonly string[];
  readonly domainNames?: readonly string[];
}

interface ApiPort {
  readonly destinationPort?: {
    readonly number?: number;
    readonly range?: { readonly start?: number; readonly end?: number };
  };
}

interface ApiProtocol {
  readonly tcp?: ApiPort;
  readonly udp?: ApiPort;
  readonly sctp?: ApiPort;
  readonly destinationNamedPort?: string;
}

interface ApiRule {
  readonly name?: string;
  readonly action?: string;
  readonly from?: readonly ApiPeer[];
  readonly to?: readonly ApiPeer[];
  readonly protocols?: readonly ApiProtocol[];
}

interface ApiPolicy {
  readonly metadata?: {
    readonly name?: string;
    readonly uid?: string;
    readonly annotations?: Labels;
  } | null;
  readonly spec?: {
    readonly tier?: string;
    readonly priority?: number;
    readonly subject?: ApiPods;
    readonly ingress?: readonly ApiRule[] | null;
    readonly egress?: readonly ApiRule[] | null;
  } | null;
}

/** Peers of a rule that fails closed and therefore denies everything. */
const everything: readonly ClusterPeer[] = [{ networks: ['0.0.0.0/0', '::/0'] }];

/**
 * Reads a policy (policy.networking.k8s.io/v1alpha2 ClusterNetworkPolicy). As the API's documentation requires, a rule
 * with unknown fields fails closed: it accepts nothing, or denies everything if its action is not Accept. A policy
 * beyond its budget fails closed in the same way. Never throws.
 */
export function readClusterPolicy(object: unknown): ClusterNetworkPolicy {
  const { metadata, spec } = object as ApiPolicy;
  const asks = new Set<UnservedAsk>();
  const { tier } = spec ?? {};
  const isKnownTier = tier === 'Admin' || tier === 'Baseline';
  const subject = isKnownTier ? podsOf(spec?.subject ?? {}) : null;
  if (subject === null) asks.add('unknown-fields');
  const rules = (list: readonly ApiRule[] | null | undefined): readonly ClusterRule[] =>
    (list ?? []).map((rule) => ruleOf(rule, asks));
  const [ingress, egress] = [rules(spec?.ingress), rules(spec?.egress)];
  const groupLabel = metadata?.annotations?.[groupsAnnotation];
  const policy: ClusterNetworkPolicy = {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    tier: isKnownTier ? tier : 'Baseline',
    priority: Math.min(1000, Math.max(0, spec?.priority ?? 0)),
    subject,
    ingress,
    egress,
    ...(groupLabel !== undefined && groupLabel !== '' && { groupLabel }),
    ...(asks.size > 0 && { asks: [...asks] }),
  };
  const refusal = overBudget('ClusterNetworkPolicy', policy, usedBy(policy));
  if (refusal === null) return policy;
  const { groupLabel: _, ...kept } = policy;
  return { ...kept, ingress: closed(ingress), egress: closed(egress), refusal };
}

/** Returns the pods that a subject or a peer selects; null if it has none of the known fields. */
function podsOf({ namespaces, pods }: ApiPods): SelectedPods | null {
  if (namespaces) return { namespaces, pods: {} };
  return pods ? { namespaces: pods.namespaceSelector ?? {}, pods: pods.podSelector ?? {} } : null;
}

function ruleOf({ name = '', action, from, to, protocols = [] }: ApiRule, asks: Set<UnservedAsk>): ClusterRule {
  const asked = from ?? to ?? [];
  const peers = asked.map((peer) => peerOf(peer, asks));
  const all = protocols.map(protocolOf);
  const isKnownAction = action === 'Accept' || action === 'Deny' || action === 'Pass';
  if (all.includes(null) || peers.length === 0 || !isKnownAction) asks.add('unknown-fields');
  const [knownPeers, knownProtocols] = [peers.flatMap((one) => one ?? []), all.flatMap((one) => one ?? [])];
  const isKnown = knownPeers.length === peers.length && knownProtocols.length === all.length && peers.length > 0;
  if (isKnownAction && isKnown) return { name, action, peers: knownPeers, protocols: knownProtocols };
  return action === 'Accept'
    ? { name, action, peers: [], protocols: [] }
    : { name, action: 'Deny', peers: everything, protocols: [] };
}

/** Returns a peer; null if it has none of the fields that this network serves. */
function peerOf(peer: ApiPeer, asks: Set<UnservedAsk>): ClusterPeer | null {
  const pods = podsOf(peer);
  if (pods !== null) return { pods };
  if (peer.nodes) return { nodes: peer.nodes };
  if (peer.networks?.every((network) => parseRange(network) !== null) === true)
    return { networks: peer.networks.map(subnetOf) };
  asks.add(peer.domainNames ? 'domain-names' : 'unknown-fields');
  return null;
}

/**
 * Returns a named port, or a protocol with a range of port numbers; null if the fields that this network serves contain
 * neither.
 */
function protocolOf({ tcp, udp, sctp, destinationNamedPort }: ApiProtocol): ClusterProtocol | null {
  if (destinationNamedPort) return { namedPort: destinationNamedPort };
  const found: readonly (readonly [Protocol, ApiPort | undefined])[] = [
    ['TCP', tcp],
    ['UDP', udp],
    ['SCTP', sctp],
  ];
  const [protocol, port] = found.find(([, one]) => one) ?? [];
  const { number, range } = port?.destinationPort ?? {};
  if (protocol === undefined) return null;
  if (number) return { protocol, first: number, last: number };
  return range?.start && range.end ? { protocol, first: range.start, last: range.end } : null;
}

/** Returns the rules that replace those of a policy that fails closed. */
function closed(rules: readonly ClusterRule[]): readonly ClusterRule[] {
  return rules.every(({ action }) => action === 'Accept')
    ? []
    : [{ name: '', action: 'Deny', peers: everything, protocols: [] }];
}

function usedBy(policy: ClusterNetworkPolicy): Record<'portNames' | 'terms' | 'turns', number> {
  const used = { portNames: 0, terms: 0, turns: 0 };
  for (const direction of ['Ingress', 'Egress'] as const)
    used.turns = Math.max(used.turns, turnsIn(actionsInOrder(policy, direction)));
  for (const { peers, protocols } of [...policy.ingress, ...policy.egress]) {
    used.portNames += new Set(protocols.flatMap((one) => ('namedPort' in one ? [one.namedPort] : []))).size;
    used.terms += protocols.length + peers.reduce((sum, peer) => sum + termsOf(peer), 0);
  }
  return used;
}

function termsOf(peer: ClusterPeer): number {
  if ('networks' in peer) return peer.networks.length;
  const selectors = 'nodes' in peer ? [peer.nodes] : [peer.pods.namespaces, peer.pods.pods];
  const values = selectors.flatMap(({ matchExpressions = [] }) => matchExpressions);
  return values.reduce((sum, { values: listed = [] }) => sum + 1 + listed.length, 1);
}
