import type { NetworkPolicy, PolicyPeer, PolicyPort, Protocol } from '../../model/workload.ts';
import { canonicalText, parseRange } from '../../net/address-range.ts';
import {
  everyPod,
  keyOf,
  type NamedPort,
  peersOf,
  type Selection,
  type SelectionKey,
  targetsOf,
  wholeNamespace,
} from './selections.ts';

export type Direction = 'Ingress' | 'Egress';

/**
 * Part of a rule from which ACLs are made. These ACLs admit a packet if all conditions of the clause hold. A condition
 * that is null always holds.
 */
export interface Clause {
  readonly direction: Direction;
  /** Index of the rule among the ingress rules or the egress rules of the policy. */
  readonly rule: number;
  /** Identifier of the clause among those of the same rule. */
  readonly part: string;
  /** Pods with which the pods of the policy may communicate. */
  readonly peers: Selection | null;
  /** Match of packets whose other end has an address in the range of the peer. */
  readonly block: string | null;
  /** Match of packets by protocol and port number. */
  readonly ports: string | null;
  /** Named port that the destination pods must have. */
  readonly named: { readonly port: NamedPort; readonly of: Selection } | null;
}

/** Facts about a policy that can be derived from the policy alone, without pods and namespaces. */
export interface PolicyTerms {
  /** Pods to which the policy applies. */
  readonly targets: Selection;
  /** Clauses of all rules of the policy. */
  readonly clauses: readonly Clause[];
  /**
   * Selections of pods to which the clauses refer. Whole namespaces are left out, because each namespace has address
   * sets in any case.
   */
  readonly selections: ReadonlyMap<SelectionKey, Selection>;
}

/**
 * Facts that were derived from each policy, cached because every change of a pod needs them. A policy object never
 * changes after it has been read.
 */
const known = new WeakMap<NetworkPolicy, PolicyTerms>();

export function termsOf(policy: NetworkPolicy): PolicyTerms {
  const before = known.get(policy);
  if (before !== undefined) return before;
  const targets = targetsOf(policy);
  const clauses = policy.policyTypes.flatMap((direction) => clausesOf(policy, direction, targets));
  const used = clauses.flatMap(({ peers, named }) => [peers ?? [], named === null ? [] : withPort(named)].flat());
  const selections = new Map(
    used.filter((selection) => wholeNamespace(selection) === null).map((selection) => [keyOf(selection), selection]),
  );
  const terms = { targets, clauses, selections };
  known.set(policy, terms);
  return terms;
}

function clausesOf(policy: NetworkPolicy, direction: Direction, targets: Selection): readonly Clause[] {
  const rules = direction === 'Ingress' ? policy.ingress : policy.egress;
  return rules.flatMap(({ peers, ports }, rule) => {
    const others =
      peers.length === 0 ? [anybody] : peers.flatMap((peer, place) => otherEnd(policy, direction, peer, place));
    const asked = ports.length === 0 ? [anyPort] : portTerms(ports);
    return others.flatMap((other) =>
      asked.map(({ match, named, title }) => ({
        direction,
        rule,
        part: `${other.title}:${title}`,
        // In an egress rule, a named port is a port of the destination pods. The set of pods with that port contains
        // only peers, so no match for the peers is needed.
        peers: named !== null && direction === 'Egress' ? null : other.peers,
        block: other.block,
        ports: match,
        named: named && { port: named, of: direction === 'Ingress' ? targets : (other.peers ?? everyPod) },
      })),
    );
  });
}

/** Returns the selection of pods that have a named port. */
export function withPort({ port, of }: NonNullable<Clause['named']>): Selection {
  return { ...of, port };
}

interface OtherEnd {
  readonly title: string;
  readonly peers: Selection | null;
  readonly block: string | null;
}

const anybody: OtherEnd = { title: 'any', peers: null, block: null };

/**
 * Returns the hosts or pods at the other end of a rule's packets; none if an address range of the peer is malformed.
 */
function otherEnd(
  { namespace }: NetworkPolicy,
  direction: Direction,
  peer: PolicyPeer,
  place: number,
): readonly OtherEnd[] {
  const title = `${place}`;
  if (peer.ipBlock === undefined) return [{ title, peers: peersOf(namespace, peer), block: null }];
  const { cidr, except } = peer.ipBlock;
  const range = parseRange(cidr);
  const excepted = except.flatMap((one) => parseRange(one) ?? []);
  if (range === null || excepted.length < except.length) return [];
  const field = `${range.family === 4 ? 'ip4' : 'ip6'}.${direction === 'Ingress' ? 'src' : 'dst'}`;
  const left = excepted.filter(({ family }) => family === range.family).map(canonicalText);
  const terms = [`${field} == ${canonicalText(range)}`, ...(left.length === 0 ? [] : [`${field} != ${listOf(left)}`])];
  return [{ title, peers: null, block: terms.join(' && ') }];
}

interface PortTerm {
  readonly title: string;
  readonly match: string | null;
  readonly named: NamedPort | null;
}

const anyPort: PortTerm = { title: 'any', match: null, named: null };

/** Returns one condition for the port numbers of each protocol, and one for each port name. */
function portTerms(ports: readonly PolicyPort[]): readonly PortTerm[] {
  const protocols = [...new Set(ports.map(({ protocol }) => protocol))];
  return protocols.flatMap((protocol) => {
    const own = ports.filter((port) => port.protocol === protocol);
    const names = new Set(own.flatMap(({ port }) => (typeof port === 'string' ? [port] : [])));
    const match = numbersMatch(protocol, own);
    return [
      ...(match === null ? [] : [{ title: protocol, match, named: null }]),
      ...[...names].map((name) => ({ title: `${protocol}-${name}`, match: null, named: { name, protocol } })),
    ];
  });
}

function numbersMatch(protocol: Protocol, ports: readonly PolicyPort[]): string | null {
  const word = protocol.toLowerCase();
  if (ports.some(({ port }) => port === null)) return word;
  const singles: string[] = [];
  const ranges: string[] = [];
  for (const { port, endPort } of ports) {
    if (typeof port !== 'number') continue;
    if (endPort === null || endPort === port) singles.push(`${port}`);
    else ranges.push(`(${word}.dst >= ${port} && ${word}.dst <= ${endPort})`);
  }
  const terms = [...(singles.length === 0 ? [] : [`${word}.dst == ${listOf([...new Set(singles)])}`]), ...ranges];
  if (terms.length === 0) return null;
  return terms.length === 1 ? (terms[0] ?? '') : `(${terms.join(' || ')})`;
}

function listOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : `{${words.join(', ')}}`;
}
