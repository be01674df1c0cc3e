import type { OutsideRoute, OutsideRoutes } from '../../model/outside-routes.ts';
import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { OverlayPeer } from '../../model/overlay-peer.ts';
import { sameFamily } from '../addresses.ts';
import { clientsOfPeers } from '../peers/peer-ways.ts';
import { outsideRoutes } from './routes-to-pods.ts';

/**
 * Returns the routes that a peer needs: to the pods of each node through that node's gateway, and to the range of
 * services through each of these gateways. If no route leads to a subnet of pods, hosts of the peer do not reach the
 * pods in this subnet, and these pods reach the peer with the address of a gateway. A peer in VXLAN needs no such
 * routes.
 */
export function routesForPeer(
  layout: Pick<OverlayLayout, 'naming' | 'serviceSubnets'>,
  members: readonly OverlayNode[],
  peer: OverlayPeer,
): OutsideRoutes {
  if (peer.vtep !== undefined) return { routes: [], withoutRoute: [] };
  const { routes, withoutRoute } = outsideRoutes(
    layout,
    members.map((member) => ({ ...member, outsideClients: clientsOfPeers([peer], member.gateway) })),
  );
  const toServices = routes.flatMap((route): readonly OutsideRoute[] => {
    const destination = sameFamily(layout.serviceSubnets, route.destination);
    return destination === null ? [] : [{ ...route, destination }];
  });
  return { routes: [...routes, ...toServices], withoutRoute };
}

/** Returns the members with further outside clients: the ranges of the peers that the gateway of the member reaches. */
export function withPeerClients(
  members: readonly OverlayNode[],
  peers: readonly OverlayPeer[],
): readonly OverlayNode[] {
  return members.map((member) => {
    const clients = [...new Set([...(member.outsideClients ?? []), ...clientsOfPeers(peers, member.gateway)])];
    return clients.length === 0 ? member : { ...member, outsideClients: clients };
  });
}
