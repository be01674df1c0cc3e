import type { OverlayGateway, OverlayLayout } from '../../model/overlay.ts';
import { type OverlayPeer, vtepPeersOf } from '../../model/overlay-peer.ts';
import type { DesiredFlow, SharedPorts } from '../../model/shared-bridge.ts';
import { isIpv6 } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { tunnelPorts } from '../tunnel-ports.ts';
import { awayFrom, flowFamilies, sharedFrames, wantedFlow } from './flow-parts.ts';

/**
 * Returns the flows by which hosts of peers reach the range of services at a gateway that shares its bridge with the
 * node, in addition to the flows of outside clients. Neither group of flows uses connection tracking on the bridge.
 * Without the flows for peers, a packet to a service would be delivered to the node itself. `clients` are the ranges of
 * peers that the gateway reaches.
 */
export function sharedPeerFlows(
  layout: Pick<OverlayLayout, 'naming' | 'serviceSubnets'>,
  gateway: OverlayGateway,
  ports: SharedPorts,
  clients: readonly string[],
): readonly DesiredFlow[] {
  if (!traitsOf(layout).servesOutsideClients) return [];
  const { inbound, ofCluster } = sharedFrames(gateway, ports);
  return flowFamilies.flatMap(({ isSix, ip, source, destination }) => {
    const ofFamily = (ranges: readonly string[]): readonly string[] =>
      ranges.filter((range) => isIpv6(range) === isSix);
    return ofFamily(layout.serviceSubnets).flatMap((services) =>
      ofFamily(clients).flatMap((client) => {
        const there = `${inbound},${ip},${source}=${client},${destination}=${services}`;
        const back = `${ofCluster},${ip},${source}=${services},${destination}=${client}`;
        return [
          wantedFlow(56, there, `output:${ports.cluster}`, 'a peer sends a packet to a service'),
          wantedFlow(110, back, `output:${ports.nic}`, 'a service answers a peer'),
        ];
      }),
    );
  });
}

/**
 * Returns the flows by which hosts of peers reach the range of services at a gateway with an address of its own. The
 * flows for outside clients (outside-clients.ts) drop all other packets to this range.
 */
export function dedicatedPeerFlows(
  layout: Pick<OverlayLayout, 'naming' | 'serviceSubnets'>,
  { mac }: Pick<OverlayGateway, 'mac'>,
  clients: readonly string[],
): readonly DesiredFlow[] {
  if (!traitsOf(layout).servesOutsideClients) return [];
  return flowFamilies.flatMap(({ isSix, ip, source, destination }) =>
    layout.serviceSubnets
      .filter((services) => isIpv6(services) === isSix)
      .flatMap((services) =>
        clients
          .filter((client) => isIpv6(client) === isSix)
          .map((client) => {
            const match = `dl_dst=${mac},${ip},${source}=${client},${destination}=${services}`;
            return wantedFlow(56, match, 'NORMAL', 'a peer sends a packet to a service');
          }),
      ),
  );
}

/**
 * Returns the flows by which VXLAN packets pass a bridge that a node shares with its gateway. They come only from the
 * VTEPs of peers, and are not tracked, like the packets of tunnels. Packets of all other hosts are dropped. No flows if
 * no peer is reached in VXLAN.
 */
export function sharedVtepFlows(
  gateway: OverlayGateway,
  ports: SharedPorts,
  peers: readonly OverlayPeer[],
): readonly DesiredFlow[] {
  const { inbound, ofNode } = sharedFrames(gateway, ports);
  const addresses = [...new Set(vtepPeersOf(peers).map(({ vtep }) => vtep.address))];
  if (addresses.length === 0) return [];
  const vxlan = `tp_dst=${tunnelPorts.vxlan}`;
  return [
    ...flowFamilies.map(({ protocolSuffix }) =>
      wantedFlow(199, `${inbound},udp${protocolSuffix},${vxlan}`, 'drop', 'only VTEPs of peers send VXLAN packets'),
    ),
    ...addresses.flatMap((address) => [
      wantedFlow(200, `${inbound},udp,nw_src=${address},${vxlan}`, 'LOCAL', 'a VXLAN packet of a peer arrives'),
      wantedFlow(200, `${ofNode},udp,nw_dst=${address},${vxlan}`, awayFrom(ports), 'a VXLAN packet for a peer leaves'),
    ]),
  ];
}
