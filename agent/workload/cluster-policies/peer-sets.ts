import type { ClusterPeer, NamespacedName, SelectedPods } from '../../model/workload.ts';
import { commonSpans, type Span, spansContain, spansOf, withoutSpans } from '../../net/spans.ts';
import { isIpv6, withoutLength } from '../../overlay/addresses.ts';
import { managementAddresses } from '../../overlay/cluster/node-rows.ts';
import type { WorkloadFacts } from '../part.ts';
import { selectedPods } from '../policies/selections.ts';
import { selects } from '../policies/selectors.ts';

/** Addresses at the other end of a rule's packets: those of pods, and ranges, which may contain pods as well. */
export interface PeerSet {
  readonly addresses: ReadonlySet<string>;
  readonly spans: readonly Span[];
}

/** Functions that return the pods and the addresses to which the rules of cluster policies apply. */
export interface ClusterSets {
  /**
   * Returns the selected pods that have a logical port or will get a port. With `ifUnknown`, a namespace counts as
   * selected if its labels are needed and not known, because it exceeds its budget.
   */
  pods(selected: SelectedPods, ifUnknown?: boolean): ReadonlySet<NamespacedName>;
  /** Returns the addresses of pods. */
  addressesOf(pods: Iterable<NamespacedName>): ReadonlySet<string>;
  /** Returns the addresses of the peers of a rule. `ifUnknown` has the same meaning as for `pods`. */
  peers(peers: readonly ClusterPeer[], ifUnknown?: boolean): PeerSet;
  /** Returns the addresses of `set` that are not in `other`. */
  without(set: PeerSet, other: PeerSet): PeerSet;
  /** Returns the addresses that are in `set` and in `other`. */
  common(set: PeerSet, other: PeerSet): PeerSet;
}

const everyPod: SelectedPods = { namespaces: {}, pods: {} };

/**
 * Creates functions that return the pods and addresses for rules, from the present pods and nodes. The pods of a
 * selector are determined only once, because many rules have the same selectors.
 */
export function clusterSets(facts: WorkloadFacts): ClusterSets {
  const known = new Map<string, ReadonlySet<NamespacedName>>();
  const pods = (selected: SelectedPods, ifUnknown = false): ReadonlySet<NamespacedName> => {
    const key = JSON.stringify([selected, ifUnknown]);
    const found = known.get(key) ?? new Set(selectedPods(selected, facts, ifUnknown).map(([pod]) => pod));
    known.set(key, found);
    return found;
  };
  const addressesOf = (keys: Iterable<NamespacedName>): ReadonlySet<string> =>
    new Set([...keys].flatMap((key) => (facts.addresses.get(key) ?? []).map(withoutLength)));
  const divided = (set: PeerSet): PeerSet => {
    const { spans } = set;
    const cluster = spansOf(facts.layout.clusterSubnets);
    const inside = commonSpans(spans, cluster);
    if (inside.length === 0) return set;
    const ofPods = [...addressesOf(pods(everyPod))].filter((address) => spansContain(inside, address));
    const ofNodes = facts.nodes.flatMap((node) => managementAddresses(node).map(withoutLength));
    const ownSpans = commonSpans(spansOf(ofNodes.map(asRange)), inside);
    return {
      addresses: new Set([...set.addresses, ...ofPods]),
      spans: [...withoutSpans(spans, cluster), ...ownSpans],
    };
  };
  return {
    pods,
    addressesOf,
    peers: (peers, ifUnknown) => ({
      addresses: addressesOf(new Set(peers.flatMap((peer) => ('pods' in peer ? [...pods(peer.pods, ifUnknown)] : [])))),
      spans: spansOf(peers.flatMap((peer) => rangesOfPeer(peer, facts))),
    }),
    without: (set, other) => {
      const from = other.addresses.size > 0 ? divided(set) : set;
      const addresses = [...from.addresses].filter(
        (address) => !(other.addresses.has(address) || spansContain(other.spans, address)),
      );
      return { addresses: new Set(addresses), spans: withoutSpans(from.spans, other.spans) };
    },
    common: (set, other) => {
      const inOther = [...set.addresses].filter(
        (address) => other.addresses.has(address) || spansContain(other.spans, address),
      );
      const inSpans = [...other.addresses].filter((address) => spansContain(set.spans, address));
      return { addresses: new Set([...inOther, ...inSpans]), spans: commonSpans(set.spans, other.spans) };
    },
  };
}

/** Returns true if the set has no address. */
export function isNobody({ addresses, spans }: PeerSet): boolean {
  return addresses.size === 0 && spans.length === 0;
}

/**
 * Returns the ranges of a peer. The addresses of a node are those of its record and the further addresses that it
 * announces, and not those in the status of its Node.
 */
function rangesOfPeer(peer: ClusterPeer, { nodes, workload }: WorkloadFacts): readonly string[] {
  if ('networks' in peer) return peer.networks;
  if (!('nodes' in peer)) return [];
  return nodes
    .filter(({ name }) => selects(peer.nodes, workload.nodes.get(name)?.labels ?? {}))
    .flatMap((node) => [...managementAddresses(node), ...node.hostAddresses, ...(node.furtherAddresses ?? [])])
    .map((address) => asRange(withoutLength(address)));
}

function asRange(address: string): string {
  return `${address}/${isIpv6(address) ? 128 : 32}`;
}
