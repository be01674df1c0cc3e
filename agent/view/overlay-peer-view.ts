import type { OutsideRoutes } from '../model/outside-routes.ts';
import type { OverlayPeer, VtepSettings } from '../model/overlay-peer.ts';
import type { OverlayChanges } from '../model/overlay-plan.ts';
import { noRouteReason } from './outside-routes-view.ts';
import { doneText } from './overlay-view.ts';
import { joinLines, type Style } from './style.ts';
import { cellsOnly, tableLines } from './table.ts';

type Listed = OutsideRoutes & { readonly peer: OverlayPeer; readonly settings: VtepSettings | null };

/** Returns the networks of a peer and the way to them, as part of a sentence. */
export function peerWords({ name, nextHops, subnets, serviceSubnets, vtep }: OverlayPeer): string {
  const networks = `${name} (${[...subnets, ...serviceSubnets].join(', ')})`;
  return vtep === undefined
    ? `${networks} by ${nextHops.join(' and ')}`
    : `${networks} in VXLAN to ${vtep.address}, VNI ${vtep.vni}`;
}

/** Returns the result of `overlay peer add`. */
export function peerAddedText(peer: OverlayPeer, changes: OverlayChanges): string {
  return joinLines([
    `${doneText(changes)}: pods reach ${peerWords(peer)}.`,
    peer.vtep === undefined
      ? 'The routes that the other cluster needs: microshift-net overlay peer list'
      : `${peer.name} needs the MAC ${peer.vtep.mac} and further settings: microshift-net overlay peer list`,
    ...changes.faults.map((fault) => `Left to do: ${fault}`),
  ]);
}

/** Returns the result of `overlay peer remove`. */
export function peerRemovedText(name: string, changes: OverlayChanges): string {
  return joinLines([
    `${doneText(changes)}: ${name} is not a peer of the cluster.`,
    ...changes.faults.map((fault) => `Left to do: ${fault}`),
  ]);
}

/** Returns the peers as a table of at most `width` columns, and the routes or settings that each needs. */
export function peersText(peers: readonly Listed[], style: Style, width: number | null): string {
  if (peers.length === 0) return 'The cluster has no peers.';
  const rows = peers.map(({ peer }) => [
    peer.name,
    peer.vtep?.address ?? peer.nextHops.join(' '),
    peer.subnets.join(' '),
    peer.serviceSubnets.join(' ') || '-',
  ]);
  return joinLines([
    ...tableLines(['PEER', 'NEXT HOP', 'PODS', 'SERVICES'], rows.map(cellsOnly), width, style),
    ...peers.flatMap((one) =>
      one.settings === null ? routeLines(one, style) : settingLines(one.peer, one.settings, style),
    ),
  ]);
}

function routeLines({ peer, routes, withoutRoute }: Listed, style: Style): readonly string[] {
  return [
    style('bold', `Routes that ${peer.name} needs:`),
    ...(routes.length === 0 ? ['  none, because it reaches no node'] : []),
    ...routes.map(({ node, destination, nextHop }) => `  ${destination} via ${nextHop} (${node})`),
    ...withoutRoute.map(
      ({ node, destination, state }) => `  no route to ${destination} (${node}): ${peerRouteReason(state)}`,
    ),
  ];
}

function settingLines(
  { name, subnets, vtep }: OverlayPeer,
  { router, routerMac, mtuBytes, destinations, nodes }: VtepSettings,
  style: Style,
): readonly string[] {
  return [
    style('bold', `Settings that ${name} needs:`),
    `  tunnel: VXLAN, VNI ${vtep?.vni}, UDP port 4789, MAC ${vtep?.mac}, MTU ${mtuBytes}`,
    `  an address in ${subnets.join(' ')}, except ${router}`,
    ...destinations.map((one) => `  ${one} via ${router} (MAC ${routerMac}), by the tunnel`),
    `  ends of the tunnel: ${nodes.map(({ node, address }) => `${address} (${node})`).join(', ')}`,
  ];
}

/** Returns the reason why a peer has no route to a subnet, in words. */
export function peerRouteReason(state: OutsideRoutes['withoutRoute'][number]['state']): string {
  return state === 'no-clients' ? 'the next hop of the peer is not on the LAN of its gateway' : noRouteReason(state);
}
