import type { EncapType, OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { DesiredFlow, InboundService, SharedPorts } from '../../model/shared-bridge.ts';
import { isIpv6 } from '../addresses.ts';
import { tunnelPorts } from '../tunnel-ports.ts';
import {
  awayFrom,
  type FlowFamily,
  findSide,
  flowFamilies,
  type SharedFrames,
  sharedFrames,
  sideZone,
  wantedFlow,
} from './flow-parts.ts';

/**
 * Cookie of every flow of this product, except those that withhold answers (withheld-answers.ts), which have another
 * cookie. Flows of other programs stay; ovn-kubernetes uses 0xdeff105.
 */
export const flowCookie = '0x6d6e6f766c79';

/** Marks of a tracked connection, which name the side that has sent the last packet of the connection to the LAN. */
const marks = { cluster: '0x1', node: '0x2' } as const;

/** ICMPv6 types of router and neighbour discovery (RFC 4861 section 4), which conntrack does not track. */
const discoveryTypes = [133, 134, 135, 136];

/** Matches and actions that most flows have in common. */
interface Parts extends SharedFrames {
  readonly gateway: OverlayGateway;
  readonly families: readonly FlowFamily[];
  readonly ports: SharedPorts;
  /** Action that sends the node's own frames to the LAN. */
  readonly away: string;
}

/**
 * Returns the shared-bridge flows, by which a node and its gateway use one bridge with the same MAC and addresses:
 * flows of tables 0 to 3, first the flows of the bridge itself, then those of services (ovs-fields(7), ovs-actions(7)).
 * All other flows of the bridge apply to frames that belong neither to the node nor to the gateway.
 */
export function sharedBridgeFlows(
  node: Pick<OverlayNode, 'encap'>,
  gateway: OverlayGateway,
  ports: SharedPorts,
  services: readonly InboundService[],
): readonly DesiredFlow[] {
  const parts: Parts = {
    gateway,
    families: flowFamilies.filter(({ isSix }) => gateway.addresses.some((address) => isIpv6(address) === isSix)),
    ports,
    ...sharedFrames(gateway, ports),
    away: awayFrom(ports),
  };
  return [
    ...ownMac(parts),
    ...leaving(parts),
    ...tunnels(parts, node.encap.types),
    ...discovery(parts),
    ...connections(parts),
    ...services.filter(({ isServedHere }) => !isServedHere).flatMap((service) => serviceFlows(parts, service)),
  ];
}

/**
 * Returns the flows that match MACs only: frames to the shared MAC reach the node unless another flow matches, and
 * frames leave the cluster only with the gateway's MAC.
 */
function ownMac({ gateway, ports, network, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const multicast = 'dl_dst=01:00:00:00:00:00/01:00:00:00:00:00';
  return [
    wantedFlow(160, `${ofNode},${multicast}`, away, 'the node sends a multicast frame'),
    wantedFlow(20, ofNode, away, 'the node sends a packet that is not IP'),
    wantedFlow(10, ofCluster, `output:${ports.nic}`, 'the gateway sends a packet that is not IP'),
    wantedFlow(9, `in_port=${ports.cluster}`, 'drop', 'frames leave the cluster only with the MAC of the gateway'),
    wantedFlow(5, `${network},dl_dst=${gateway.mac}`, 'LOCAL', 'all other frames to the shared MAC are for the node'),
  ];
}

/**
 * Returns the flows by which the node's frames leave over the NIC as long as the bridge has the NIC; no flows if the
 * bridge has further ports. A NIC that was removed from the bridge and added again has another port number; until these
 * flows are replaced, NORMAL keeps the node reachable.
 */
function leaving({ ports }: Parts): DesiredFlow[] {
  if (!ports.isAlone) return [];
  const find = `bundle_load(eth_src,0,active_backup,ofport,NXM_NX_REG0[],members:${ports.nic}),resubmit(,3)`;
  return [
    wantedFlow(10, '', find, 'the flow tests whether the bridge has the NIC', 2),
    wantedFlow(20, 'reg0=0xffff', 'NORMAL', 'the bridge does not have the NIC', 3),
    wantedFlow(10, '', `output:${ports.nic}`, 'the bridge has the NIC', 3),
  ];
}

/**
 * Returns the flows of tunnel packets. Connections inside of a tunnel are tracked in OVN, so the tunnel packets
 * themselves are not tracked. Tunnel packets from the gateway are dropped, whatever their destination: their source
 * would be the address at which the node's own tunnels end, and another node would accept their content as packets of a
 * pod.
 */
function tunnels({ families: own, ports, inbound, ofNode, away }: Parts, types: readonly EncapType[]): DesiredFlow[] {
  const forged = flowFamilies.flatMap(({ protocolSuffix }) =>
    Object.entries(tunnelPorts).map(([type, port]) => {
      const match = `in_port=${ports.cluster},udp${protocolSuffix},tp_dst=${port}`;
      return wantedFlow(210, match, 'drop', `pods may not send tunnel packets (${type})`);
    }),
  );
  const real = own.flatMap(({ protocolSuffix }) =>
    types.flatMap((type) => {
      const match = `udp${protocolSuffix},tp_dst=${tunnelPorts[type]}`;
      return [
        wantedFlow(200, `${inbound},${match}`, 'LOCAL', `a tunnel packet (${type}) arrives for the node`),
        wantedFlow(200, `${ofNode},${match}`, away, `the node sends a tunnel packet (${type})`),
      ];
    }),
  );
  return [...forged, ...real];
}

/**
 * Returns the flows of ARP and neighbour discovery. Answers reach both node and gateway, because both have the same
 * addresses.
 */
function discovery({ families: own, ports, inbound, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const both = `output:${ports.cluster},LOCAL`;
  return own.flatMap(({ isSix }) =>
    isSix
      ? discoveryTypes.flatMap((type) => {
          const match = `icmp6,icmp_type=${type}`;
          return [
            wantedFlow(150, `${inbound},${match}`, both, 'both the node and the gateway get the answers of neighbours'),
            wantedFlow(150, `${ofCluster},${match}`, `output:${ports.nic}`, 'the gateway sends neighbour discovery'),
            wantedFlow(150, `${ofNode},${match}`, away, 'the node sends neighbour discovery'),
          ];
        })
      : [wantedFlow(60, `${inbound},arp`, both, 'both the node and the gateway get the answers of neighbours')],
  );
}

/**
 * Returns the flows of tracked connections: answers reach the side that sent the request, and new connections reach the
 * node.
 */
function connections({ families: own, ports, inbound, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const commit = (mark: string): string => `ct(commit,zone=${sideZone},exec(set_field:${mark}->ct_mark))`;
  return [
    ...own.flatMap(({ ip }) => [
      wantedFlow(
        100,
        `${ofCluster},${ip}`,
        `${commit(marks.cluster)},output:${ports.nic}`,
        'a packet of the cluster leaves',
      ),
      wantedFlow(100, `${ofNode},${ip}`, `${commit(marks.node)},${away}`, 'a packet of the node leaves'),
      wantedFlow(50, `${inbound},${ip}`, findSide, 'connection tracking finds the side of the connection'),
    ]),
    wantedFlow(100, `ct_mark=${marks.cluster}`, `output:${ports.cluster}`, 'the connection belongs to the cluster', 1),
    wantedFlow(100, `ct_mark=${marks.node}`, 'LOCAL', 'the connection belongs to the node', 1),
    wantedFlow(10, '', 'LOCAL', 'a new connection is for the node', 1),
  ];
}

/**
 * Returns the flows of a service, which apply before connection tracking. Connection tracking on the bridge would
 * recirculate each packet once more. Inside of OVN, the first packet to a pod on the gateway's node is already
 * recirculated six times, which is the limit of the userspace data path (lib/dpif-netdev.c, MAX_RECIRC_DEPTH: 6, in
 * newer releases 8). Answers over UDP are not tracked either: a tracked connection would belong to the cluster for as
 * long as its client sends, even after the service is deleted. A TCP connection may continue without its service, as
 * with kube-proxy, and ends by itself.
 */
function serviceFlows(
  { ports, inbound, ofCluster }: Parts,
  { protocol, address, port }: InboundService,
): DesiredFlow[] {
  const [four, six] = flowFamilies;
  const { protocolSuffix, destination, source } = isIpv6(address) ? six : four;
  const word = `${protocol}${protocolSuffix}`;
  const there = `${inbound},${word},${destination}=${address},tp_dst=${port}`;
  const back = `${ofCluster},${word},${source}=${address},tp_src=${port}`;
  return [
    wantedFlow(60, there, `output:${ports.cluster}`, 'a packet arrives for a service of the cluster'),
    ...(protocol === 'udp' ? [wantedFlow(110, back, `output:${ports.nic}`, 'a service of the cluster answers')] : []),
  ];
}
