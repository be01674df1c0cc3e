import type { DirectNode } from '../../model/direct-node.ts';
import type { OverlayGateway } from '../../model/overlay.ts';
import type { DesiredFlow, SharedPorts } from '../../model/shared-bridge.ts';
import { addressIn, isIpv6, withoutLength } from '../addresses.ts';
import { managementPlace, routerPlace } from '../cluster/node-rows.ts';
import {
  type FlowFamily,
  findSide,
  flowFamilies,
  type SharedFrames,
  sharedFrames,
  wantedFlow,
} from '../services/flow-parts.ts';

/**
 * UDP ports of the probes of direct routes: a daemon sends a probe from port `from` to port `to`. The flows of the
 * receiving node exchange the two ports. The probe then arrives like an answer to the receiver's own probe, and
 * firewalls permit answers. A probe that no flow has changed arrives at a port where no process listens.
 */
export const probePorts = { from: 6078, to: 6079 } as const;

/**
 * Returns the flows of direct routes on a bridge that a node shares with its gateway, in addition to the shared-bridge
 * flows. `neighbours` are the nodes on the other ends of the direct routes. A packet from a pod of such a node reaches
 * the gateway only if its source MAC is that of the node. A packet with the same addresses and another source MAC goes
 * to the kernel of this node instead. The kernel routes it to the cluster, where OVN drops it. Probes travel between
 * the nodes with the addresses of the cluster's router in both subnets, so that a switch that filters the addresses of
 * pods also filters the probes. `own` describes this node, with at most one entry for each address family.
 */
export function directFlows(
  own: readonly DirectNode[],
  gateway: OverlayGateway,
  ports: SharedPorts,
  neighbours: readonly DirectNode[],
): readonly DesiredFlow[] {
  const frames = sharedFrames(gateway, ports);
  return flowFamilies.flatMap((family) => {
    const isOfFamily = ({ address }: DirectNode): boolean => isIpv6(address) === family.isSix;
    const one = own.find(isOfFamily);
    return one === undefined ? [] : flowsOfFamily(family, one, frames, ports, neighbours.filter(isOfFamily));
  });
}

function flowsOfFamily(
  { ip, protocolSuffix, source, destination }: FlowFamily,
  own: DirectNode,
  { inbound, ofCluster, ofNode }: SharedFrames,
  ports: SharedPorts,
  neighbours: readonly DirectNode[],
): readonly DesiredFlow[] {
  if (neighbours.length === 0) return [];
  const udp = `udp${protocolSuffix}`;
  const [ownAddress, ownRouter] = [withoutLength(own.address), addressIn(own.subnet, routerPlace)];
  const unchanged = `${inbound},${udp},${destination}=${ownAddress},tp_dst=${probePorts.from}`;
  return [
    wantedFlow(219, unchanged, 'drop', 'probes of direct routes come with addresses of the cluster only'),
    ...neighbours.flatMap(({ address, mac, subnet }) => {
      const from = `${inbound},dl_src=${mac}`;
      const [itsAddress, itsRouter] = [withoutLength(address), addressIn(subnet, routerPlace)];
      const numbers = `tp_src=${probePorts.from},tp_dst=${probePorts.to}`;
      const sent = `${ofNode},${udp},${source}=${ownAddress},${destination}=${itsAddress},${numbers}`;
      const arrived = `${from},${udp},${source}=${itsRouter},${destination}=${ownRouter},${numbers}`;
      const asPods = `set_field:${ownRouter}->${source},set_field:${itsRouter}->${destination},output:${ports.nic}`;
      const asNodes = [
        `set_field:${itsAddress}->${source},set_field:${ownAddress}->${destination}`,
        `set_field:${probePorts.to}->udp_src,set_field:${probePorts.from}->udp_dst,LOCAL`,
      ].join(',');
      const there = `${ofCluster},${ip},${source}=${own.subnet},${destination}=${subnet}`;
      const nodeItself = [
        `${source}=${addressIn(subnet, managementPlace)},${destination}=${own.subnet}`,
        `${source}=${subnet},${destination}=${addressIn(own.subnet, managementPlace)}`,
      ];
      return [
        wantedFlow(220, sent, asPods, 'a probe of the direct route leaves'),
        wantedFlow(220, arrived, asNodes, 'a probe of the direct route arrives'),
        wantedFlow(110, there, `output:${ports.nic}`, 'a pod sends a packet by the direct route'),
        wantedFlow(
          58,
          `${from},${ip},${source}=${subnet},${destination}=${own.subnet}`,
          `output:${ports.cluster}`,
          'a packet of a pod arrives by the direct route',
        ),
        ...nodeItself.map((match) =>
          wantedFlow(59, `${from},${ip},${match}`, findSide, 'the address belongs to a node itself'),
        ),
      ];
    }),
  ];
}
