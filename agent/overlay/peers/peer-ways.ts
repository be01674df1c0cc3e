import type { OverlayGateway } from '../../model/overlay.ts';
import { type OverlayPeer, rangesOfPeer } from '../../model/overlay-peer.ts';
import { isWithin, sameFamily, withoutLength } from '../addresses.ts';

/** Route by which a gateway reaches a range of a peer. */
export interface PeerWay {
  readonly peer: string;
  readonly range: string;
  readonly nextHop: string;
}

/**
 * Returns the routes by which a gateway reaches the ranges of peers. The next hop has to be on the gateway's own LAN. A
 * gateway whose address several nodes share has no such routes, because the address may be at another node than the
 * pod.
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

/**
 * Returns the ranges of the peers that a gateway reaches. Their hosts reach the pods of the gateway's node as outside
 * clients.
 */
export function clientsOfPeers(peers: readonly OverlayPeer[], gateway: OverlayGateway | null): readonly string[] {
  return [...new Set(waysToPeers(peers, gateway).map(({ range }) => range))];
}
