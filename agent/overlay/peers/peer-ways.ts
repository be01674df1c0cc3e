import type { OverlayGateway } from '../../model/overlay.ts';
import { type OverlayPeer, rangesOfPeer } from '../../model/overlay-peer.ts';
import { isWithin, sameFamily, withoutLength } from '../addresses.ts';

/** Way of a gateway to a range of a peer. */
export interface PeerWay {
  readonly peer: string;
  readonly range: string;
  readonly nextHop: string;
}

/**
 * Returns the ways of a gateway to the ranges of peers. A gateway has a way only if the next hop is on its own LAN, and
 * none if several nodes share its address, because the address may be at another node than the pod.
 */
export function waysToPeers(peers: readonly OverlayPeer[], gateway: OverlayGateway | null): readonly PeerWay[] {
  if (gateway === null || gateway.isVip === true) return [];
  return peers.flatMap((peer) =>
    rangesOfPeer(peer).flatMap((range) => {
      const nextHop = sameFamily(peer.nextHops, range);
      return nextHop !== null && isBeside(nextHop, gateway) ? [{ peer: peer.name, range, nextHop }] : [];
    }),
  );
}

/** Returns true if an address is on the LAN of a gateway, and not an address of the gateway itself. */
export function isBeside(address: string, { addresses }: Pick<OverlayGateway, 'addresses'>): boolean {
  const own = sameFamily(addresses, address);
  return own !== null && withoutLength(own) !== address && isWithin(address, own);
}

/** Returns the ranges whose hosts reach the pods of a gateway's node as clients from outside. */
export function clientsOfPeers(peers: readonly OverlayPeer[], gateway: OverlayGateway | null): readonly string[] {
  return [...new Set(waysToPeers(peers, gateway).map(({ range }) => range))];
}
