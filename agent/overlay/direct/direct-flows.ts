import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayGateway } from '../../model/overlay.ts';
import type { DesiredFlow, SharedPorts } from '../../model/shared-bridge.ts';
import { addressIn, withoutLength } from '../addresses.ts';
import { managementPlace, routerPlace } from '../cluster/node-rows.ts';
import { findSide, sharedFrames, wantedFlow } from '../services/flow-parts.ts';

/**
 * UDP ports of the probes of direct routes: a daemon sends from `from` to `to`. The flows of the receiving node
 * exchange the two, so that a probe arrives like an answer to the receiver's own probe, which firewalls permit, and so
 * that a probe which no flow has changed arrives at a port where no process listens.
 */
export const probePorts = { from: 6078, to: 6079 } as const;

/**
 * Returns the flows of direct routes on a bridge that a node shares with its gateway, in addition to the shared-bridge
 * flows. `neighbours` are the nodes on the other ends of the direct routes. A packet from a pod of such a node reaches
 * the gateway if it has the MAC of that node. A packet with the same addresses and another MAC reaches this node, which
 * forwards it into the cluster, and OVN drops it. Probes travel between the nodes with the addresses of the cluster's
 * router in both subnets, so that a switch that filters the addresses of pods also filters the probes.
 */
export function directFlows(
  own: DirectNode,
  gateway: OverlayGateway,
  ports: SharedPorts,
  neighbours: readonly DirectNode[],
): readonly DesiredFlow[] {
  if (neighbours.length === 0) return [];
  const { inbound, ofCluster, ofNode } = sharedFrames(gateway, ports);
  const [ownAddress, ownRouter] = [withoutLength(own.address), addressIn(own.subnet, routerPlace)];
  const unchanged = `${inbound},udp,nw_dst=${ownAddress},tp_dst=${probePorts.from}`;
  return [
    wantedFlow(219, unchanged, 'drop', 'probes of direct routes come with addresses of the cluster only'),
    ...neighbours.flatMap(({ address, mac, subnet }) => {
      const from = `${inbound},dl_src=${mac}`;
      const [itsAddress, itsRouter] = [withoutLength(address), addressIn(subnet, routerPlace)];
      const numbers = `tp_src=${probePorts.from},tp_dst=${probePorts.to}`;
      const sent = `${ofNode},udp,nw_src=${ownAddress},nw_dst=${itsAddress},${numbers}`;
      const arrived = `${from},udp,nw_src=${itsRouter},nw_dst=${ownRouter},${numbers}`;
      const asPods = `set_field:${ownRouter}->nw_src,set_field:${itsRouter}->nw_dst,output:${ports.nic}`;
      const asNodes = [
        `set_field:${itsAddress}->nw_src,set_field:${ownAddress}->nw_dst`,
        `set_field:${probePorts.to}->udp_src,set_field:${probePorts.from}->udp_dst,LOCAL`,
      ].join(',');
      const there = `${ofCluster},ip,nw_src=${own.subnet},nw_dst=${subnet}`;
      const nodeItself = [
        `nw_src=${addressIn(subnet, managementPlace)},nw_dst=${own.subnet}`,
        `nw_src=${subnet},nw_dst=${addressIn(own.subnet, managementPlace)}`,
      ];
      return [
        wantedFlow(220, sent, asPods, 'a probe of the direct route leaves'),
        wantedFlow(220, arrived, asNodes, 'a probe of the direct route arrives'),
        wantedFlow(110, there, `output:${ports.nic}`, 'a pod sends a packet by the direct route'),
        wantedFlow(
          58,
          `${from},ip,nw_src=${subnet},nw_dst=${own.subnet}`,
          `output:${ports.cluster}`,
          'a packet of a pod arrives by the direct route',
        ),
        ...nodeItself.map((match) =>
          wantedFlow(59, `${from},ip,${match}`, findSide, 'the address belongs to a node itself'),
        ),
      ];
    }),
  ];
}
