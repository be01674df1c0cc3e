import {
  isPeerName,
  largestVni,
  mostPeerRanges,
  mostPeers,
  type OverlayPeer,
  type PeerVtep,
} from '../../model/overlay-peer.ts';
import { familyOf } from '../../net/address.ts';
import { parseRange } from '../../net/address-range.ts';

/**
 * Key of SB_Global.external_ids in which the central node publishes the peers. Members read it for the flows of their
 * gateways, and OVN's role for nodes does not let them write it (ovn-sb(5), RBAC_Role).
 */
export const peersKey = 'microshift-net-peers';

/** Returns the entries of SB_Global.external_ids that publish the peers; no entries without peers. */
export function publishedPeers(peers: readonly OverlayPeer[]): Readonly<Record<string, string>> {
  return peers.length === 0 ? {} : { [peersKey]: JSON.stringify(peers) };
}

/**
 * Reads the peers in SB_Global.external_ids. A text that is not a list of peers counts as no peers, so that no packet
 * is let in because of it.
 */
export function peersIn(ids: Readonly<Record<string, string>>): readonly OverlayPeer[] {
  try {
    const found: unknown = JSON.parse(ids[peersKey] ?? '[]');
    return arePeers(found) ? found : [];
  } catch {
    return [];
  }
}

/** Returns true for a list of peers in the form in which this product writes it. */
export function arePeers(value: unknown): value is readonly OverlayPeer[] {
  return Array.isArray(value) && value.length <= mostPeers && value.every(isPeer);
}

function isPeer(value: unknown): boolean {
  const { name, nextHops, subnets, serviceSubnets, vtep } = Object(value) as Partial<
    Record<keyof OverlayPeer, unknown>
  >;
  return (
    typeof name === 'string' &&
    isPeerName(name) &&
    isListOf(nextHops, 2, (word) => familyOf(word) !== null) &&
    isListOf(subnets, mostPeerRanges, isRange) &&
    isListOf(serviceSubnets, mostPeerRanges, isRange) &&
    (vtep === undefined || (isVtep(vtep) && isListOf(subnets, 1, isSubnet4) && nextHops.length === 0))
  );
}

function isVtep(value: unknown): value is PeerVtep {
  const { address, vni, mac } = Object(value) as Partial<Record<keyof PeerVtep, unknown>>;
  return (
    typeof address === 'string' &&
    familyOf(address) === 4 &&
    Number.isInteger(vni) &&
    Number(vni) >= 0 &&
    Number(vni) <= largestVni &&
    typeof mac === 'string' &&
    /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)
  );
}

function isSubnet4(word: string): boolean {
  return parseRange(word)?.family === 4;
}

function isListOf(value: unknown, most: number, is: (word: string) => boolean): value is readonly string[] {
  return Array.isArray(value) && value.length <= most && value.every((one) => typeof one === 'string' && is(one));
}

function isRange(word: string): boolean {
  return parseRange(word)?.canonical === true;
}
