import type { OverlayChassis, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { mostPeers, type OverlayPeer, rangesOfPeer, vtepPeersOf } from '../../model/overlay-peer.ts';
import { masqueradeSubnets } from '../../model/ovn-kubernetes-addresses.ts';
import { overlaps } from '../../net/address-range.ts';
import { isHost, isIpv6, rangeOf } from '../addresses.ts';
import { nodeAddresses, unservableRanges } from '../node-ports.ts';
import { isBeside } from './peer-ways.ts';
import { conflict, refuseVtep } from './refuse-vtep.ts';

/** Facts about the cluster that is to get a peer. */
export interface PeerFacts {
  readonly layout: OverlayLayout;
  /** Members with the gateways that they announce, as far as the central node accepts them. */
  readonly members: readonly OverlayNode[];
  /**
   * Networks of this node, in the form `address/prefix`. Networks that only other members announce are left out, so
   * that a false claim of a member cannot cause the refusal of a peer.
   */
  readonly ownNetworks: readonly string[];
  /** Peers that the cluster has. */
  readonly peers: readonly OverlayPeer[];
  /** Chassis that are registered in the southbound database. */
  readonly chassis: readonly OverlayChassis[];
}

/** Range that is in use, with its use in words. */
interface UsedRange {
  readonly range: string;
  readonly use: string;
}

/**
 * Shortest prefixes of a peer's ranges, as in MicroShift's clusterToCluster (docs/user/howto_c2cc.md, "Configuration
 * Reference").
 */
const shortestPrefix = { 4: 8, 6: 32 } as const;

/**
 * Fails with `overlay-conflict` if the cluster cannot have the peer, for one of these reasons: its name is in use; one
 * of its ranges overlaps a range that is in use or has a special meaning; a range is too large; two of its ranges
 * overlap; it has two next hops of one address family; its next hops and its ranges differ in their families; the
 * cluster lacks an address family of the peer; no router can have the address of a next hop; a next hop is an address
 * of a member, or is not on the LAN of a gateway; no member has a gateway with an address of its own; the cluster has
 * the largest number of peers. A peer that is reached in VXLAN has no next hop, and is also refused for the reasons of
 * `refuseVtep`.
 */
export function refusePeer(peer: OverlayPeer, facts: PeerFacts): void {
  const { peers } = facts;
  if (peers.some(({ name }) => name === peer.name))
    throw conflict(
      `the cluster has a peer ${peer.name} already, with other values`,
      `remove it first (microshift-net overlay peer remove ${peer.name}), or choose another name`,
    );
  if (peers.length >= mostPeers)
    throw conflict(
      `the cluster has ${peers.length} peers, and more than ${mostPeers} are not served`,
      'remove one with: microshift-net overlay peer remove NAME',
    );
  for (const range of rangesOfPeer(peer)) refuseRange(range, peer, facts);
  const [vtepPeer] = vtepPeersOf([peer]);
  if (vtepPeer !== undefined) {
    refuseVtep(vtepPeer, facts);
    return;
  }
  refuseFamilies(peer, facts);
  for (const hop of peer.nextHops) refuseHop(hop, facts);
}

function refuseRange(range: string, peer: OverlayPeer, { layout, members, ownNetworks, peers }: PeerFacts): void {
  const parsed = rangeOf(range);
  if (parsed.prefixLength < shortestPrefix[parsed.family])
    throw conflict(
      `${range} is too large for the network of a peer`,
      `write ranges of /${shortestPrefix[4]} or longer prefixes, for IPv6 of /${shortestPrefix[6]} or longer ones`,
    );
  const [first, second] = rangesOfPeer(peer).filter((one) => overlaps(rangeOf(one), parsed));
  if (second !== undefined)
    throw conflict(`two ranges of ${peer.name} overlap: ${first} and ${second}`, 'write each network of the peer once');
  const used: readonly UsedRange[] = [
    ...layout.clusterSubnets.map((one) => ({ range: one, use: "of this cluster's pods" })),
    ...layout.serviceSubnets.map((one) => ({ range: one, use: "of this cluster's services" })),
    ...layout.joinSubnets.map((one) => ({ range: one, use: "between this cluster's routers" })),
    ...Object.values(masqueradeSubnets).map((one) => ({ range: one, use: 'of the masquerade addresses of each node' })),
    ...unservableRanges.map((one) => ({ range: one, use: 'with a special meaning on every host' })),
    ...ownNetworks.map((one) => ({ range: one, use: 'of this node' })),
    ...members.flatMap(rangesOfNode),
    ...peers.flatMap((other) => rangesOfPeer(other).map((one) => ({ range: one, use: `of the peer ${other.name}` }))),
  ];
  const other = used.find((one) => overlaps(rangeOf(one.range), parsed));
  if (other === undefined) return;
  throw conflict(
    `${range} of ${peer.name} overlaps ${other.range}, the range ${other.use}`,
    'networks of connected clusters have to be distinct: give one of the two clusters another range',
  );
}

/** Returns the addresses at which other hosts reach a node, each as a range of one address. */
function rangesOfNode(node: OverlayNode): readonly UsedRange[] {
  return nodeAddresses(node).map((one) => ({
    range: `${one}/${isIpv6(one) ? 128 : 32}`,
    use: `of the node ${node.name}`,
  }));
}

function refuseFamilies({ name, nextHops, ...ranges }: OverlayPeer, { layout }: PeerFacts): void {
  const all = [...ranges.subnets, ...ranges.serviceSubnets];
  for (const isSix of [false, true]) {
    const word = isSix ? 'IPv6' : 'IPv4';
    const has = (list: readonly string[]): boolean => list.some((one) => isIpv6(one) === isSix);
    if (nextHops.filter((hop) => isIpv6(hop) === isSix).length > 1)
      throw conflict(`${name} has two next hops of ${word}`, 'write one next hop of each family');
    if (has(all) && !has(layout.clusterSubnets))
      throw conflict(`${name} has a range of ${word}, and this cluster has none`, `omit the ranges of ${word}`);
    if (has(all) && !has(nextHops))
      throw conflict(`${name} has a range of ${word}, and no next hop of ${word}`, 'add one with --next-hop');
    if (has(nextHops) && !has(all))
      throw conflict(`${name} has a next hop of ${word}, and no range of ${word}`, 'add a range with --subnet');
  }
}

function refuseHop(hop: string, { members }: PeerFacts): void {
  if (!isHost(hop) || /^fe[89ab]/i.test(hop))
    throw conflict(`${hop} is not an address of a router`, 'write the address that the router has on the LAN');
  const holder = members.find((node) => nodeAddresses(node).includes(hop));
  if (holder !== undefined)
    throw conflict(`${hop} is an address of ${holder.name}, which is a node of this cluster`, hopHint);
  const gateways = members.flatMap(({ name, gateway }) =>
    gateway === null || gateway.isVip === true ? [] : [{ name, gateway }],
  );
  if (gateways.length === 0)
    throw conflict(
      'no node of this cluster has a gateway with an address of its own, so no packet reaches a peer',
      'make nodes gateways first: microshift-net overlay gateway',
    );
  if (gateways.some(({ gateway }) => isBeside(hop, gateway))) return;
  const lans = gateways.flatMap(({ name, gateway }) => gateway.addresses.map((one) => `${name} at ${one}`));
  throw conflict(`${hop} is not on the LAN of a gateway (${lans.join(', ')})`, hopHint);
}

const hopHint = 'write the router or node of the other cluster that the gateways reach on their LAN';
