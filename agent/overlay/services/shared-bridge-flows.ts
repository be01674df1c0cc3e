import type { EncapType, OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import type { DesiredFlow, InboundService, SharedPorts } from '../../model/shared-bridge.ts';
import { isIpv6 } from '../addresses.ts';
import { tunnelPorts } from '../tunnel-ports.ts';

/** Cookie of every flow of this product; flows with any other cookie stay. ovn-kubernetes uses 0xdeff105. */
export const flowCookie = '0x6d6e6f766c79';

/**
 * Zone of connection tracking: ovn-controller(8) assigns zones from 1 on to br-int, and ovn-kubernetes has used this one for the same purpose since
 * 2017.
 */
const zone = 64_000;

/**
 * Marks of a tracked connection, for the side whose packet was the last that the connection sent over the bridge to the
 * LAN.
 */
const marks = { cluster: '0x1', node: '0x2' } as const;

/** ICMPv6 types of router and neighbour discovery (RFC 4861 section 4), which conntrack does not track. */
const discoveryTypes = [133, 134, 135, 136];

const families = [
  { isSix: false, ip: 'ip', protocolSuffix: '', destination: 'nw_dst', source: 'nw_src' },
  { isSix: true, ip: 'ipv6', protocolSuffix: '6', destination: 'ipv6_dst', source: 'ipv6_src' },
] as const;

type Family = (typeof families)[number];

/** Matches and actions that most flows have in common. */
interface Parts {
  readonly gateway: OverlayGateway;
  readonly families: readonly Family[];
  readonly ports: SharedPorts;
  /** Match of frames of the gateway's network: untagged, or of its VLAN. */
  readonly network: string;
  /** Match of frames from the LAN to the MAC that node and gateway share. */
  readonly inbound: string;
  /** Match of frames from the gateway. */
  readonly ofCluster: string;
  /** Match of frames from the node itself. */
  readonly ofNode: string;
  /** Action with which the node's own frames leave for the LAN. */
  readonly away: string;
}

/**
 * Returns the shared-bridge flows, by which a node and its gateway use one bridge with the same MAC and addresses: flows of tables 0 to 3, first the
 * base, then those of services (ovs-fields(7), ovs-actions(7)). All other flows of the bridge apply to frames that belong neither to the node nor to the gateway.
 */
export function sharedBridgeFlows(
  node: Pick<OverlayNode, 'encap'>,
  gateway: OverlayGateway,
  ports: SharedPorts,
  services: readonly InboundService[],
): readonly DesiredFlow[] {
  const { mac, vlan, addresses } = gateway;
  const network = vlan === null ? 'vlan_tci=0x0000/0x0fff' : `dl_vlan=${vlan}`;
  const parts: Parts = {
    gateway,
    families: families.filter(({ isSix }) => addresses.some((address) => isIpv6(address) === isSix)),
    ports,
    network,
    inbound: `in_port=${ports.nic},${network},dl_dst=${mac}`,
    ofCluster: `in_port=${ports.cluster},${network},dl_src=${mac}`,
    ofNode: `in_port=LOCAL,${network},dl_src=${mac}`,
    // The action NORMAL learns no MAC from frames to the shared MAC, because these flows forward such frames themselves. It would therefore flood
    // many frames.
    away: ports.isAlone ? 'resubmit(,2)' : 'NORMAL',
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
 * Returns the flows that match MACs only: frames to the shared MAC reach the node unless another flow matches, and only frames with the gateway's MAC
 * leave by the gateway's port.
 */
function ownMac({ gateway, ports, network, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const multicast = 'dl_dst=01:00:00:00:00:00/01:00:00:00:00:00';
  return [
    wanted(160, `${ofNode},${multicast}`, away, 'the node asks everybody'),
    wanted(20, ofNode, away, 'what the node says that is no IP'),
    wanted(10, ofCluster, `output:${ports.nic}`, 'what the gateway says that is no IP'),
    wanted(9, `in_port=${ports.cluster}`, 'drop', 'nothing leaves the cluster with a MAC of its own'),
    wanted(5, `${network},dl_dst=${gateway.mac}`, 'LOCAL', 'everything else that is sent to the node'),
  ];
}

/**
 * Returns the flows by which the node's frames leave over the NIC as long as the bridge has it. A NIC that was removed from the bridge and added
 * again has another port number; until these flows are replaced, NORMAL keeps the node reachable.
 */
function leaving({ ports }: Parts): DesiredFlow[] {
  if (!ports.isAlone) return [];
  const find = `bundle_load(eth_src,0,active_backup,ofport,NXM_NX_REG0[],members:${ports.nic}),resubmit(,3)`;
  return [
    wanted(10, '', find, 'whether the NIC is there', 2),
    wanted(20, 'reg0=0xffff', 'NORMAL', 'it is not', 3),
    wanted(10, '', `output:${ports.nic}`, 'it is', 3),
  ];
}

/**
 * Returns the flows of tunnel packets. Connections inside of a tunnel are tracked in OVN, so the tunnel packet is not tracked as well. Tunnel packets
 * from the gateway are dropped, whatever their destination: their source would be the address at which the node's own tunnels end, and another node
 * would accept their content as packets of a pod.
 */
function tunnels({ families: own, ports, inbound, ofNode, away }: Parts, types: readonly EncapType[]): DesiredFlow[] {
  const forged = families.flatMap(({ protocolSuffix }) =>
    Object.entries(tunnelPorts).map(([type, port]) => {
      const match = `in_port=${ports.cluster},udp${protocolSuffix},tp_dst=${port}`;
      return wanted(210, match, 'drop', `${type} that a pod has made`);
    }),
  );
  const real = own.flatMap(({ protocolSuffix }) =>
    types.flatMap((type) => {
      const match = `udp${protocolSuffix},tp_dst=${tunnelPorts[type]}`;
      return [
        wanted(200, `${inbound},${match}`, 'LOCAL', `${type} arrives`),
        wanted(200, `${ofNode},${match}`, away, `${type} leaves`),
      ];
    }),
  );
  return [...forged, ...real];
}

/** Returns the flows of ARP and neighbour discovery. Answers reach both node and gateway, because they have the same addresses. */
function discovery({ families: own, ports, inbound, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const both = `output:${ports.cluster},LOCAL`;
  return own.flatMap(({ isSix }) =>
    isSix
      ? discoveryTypes.flatMap((type) => {
          const match = `icmp6,icmp_type=${type}`;
          return [
            wanted(150, `${inbound},${match}`, both, 'neighbours answer both'),
            wanted(150, `${ofCluster},${match}`, `output:${ports.nic}`, 'the gateway asks and answers'),
            wanted(150, `${ofNode},${match}`, away, 'the node answers'),
          ];
        })
      : [wanted(60, `${inbound},arp`, both, 'neighbours answer both')],
  );
}

/** Returns the flows of tracked connections: answers reach the side that sent the request, and new connections reach the node. */
function connections({ families: own, ports, inbound, ofCluster, ofNode, away }: Parts): DesiredFlow[] {
  const commit = (mark: string): string => `ct(commit,zone=${zone},exec(set_field:${mark}->ct_mark))`;
  return [
    ...own.flatMap(({ ip }) => [
      wanted(100, `${ofCluster},${ip}`, `${commit(marks.cluster)},output:${ports.nic}`, 'the cluster speaks'),
      wanted(100, `${ofNode},${ip}`, `${commit(marks.node)},${away}`, 'the node speaks'),
      wanted(50, `${inbound},${ip}`, `ct(table=1,zone=${zone})`, 'whose connection it is'),
    ]),
    wanted(100, `ct_mark=${marks.cluster}`, `output:${ports.cluster}`, 'a connection of the cluster', 1),
    wanted(100, `ct_mark=${marks.node}`, 'LOCAL', 'a connection of the node', 1),
    wanted(10, '', 'LOCAL', 'everything new is for the node', 1),
  ];
}

/**
 * Returns the flows of a service. They precede connection tracking: inside of OVN, the first packet to a pod beside the gateway is already
 * recirculated six times, the limit of the userspace data path (lib/dpif-netdev.c, MAX_RECIRC_DEPTH: 6, in newer releases 8). Answers over UDP are
 * not tracked: their connection would otherwise remain the cluster's for as long as its client sends, even after the service is deleted. A TCP
 * connection may continue without its service, as with kube-proxy, and ends by itself.
 */
function serviceFlows(
  { ports, inbound, ofCluster }: Parts,
  { protocol, address, port }: InboundService,
): DesiredFlow[] {
  const [four, six] = families;
  const { protocolSuffix, destination, source } = isIpv6(address) ? six : four;
  const word = `${protocol}${protocolSuffix}`;
  const there = `${inbound},${word},${destination}=${address},tp_dst=${port}`;
  const back = `${ofCluster},${word},${source}=${address},tp_src=${port}`;
  return [
    wanted(60, there, `output:${ports.cluster}`, 'a service of the cluster'),
    ...(protocol === 'udp' ? [wanted(110, back, `output:${ports.nic}`, 'a service of the cluster answers')] : []),
  ];
}

function wanted(priority: number, match: string, actions: string, why: string, table: 0 | 1 | 2 | 3 = 0): DesiredFlow {
  const matches = match === '' ? '' : `${match},`;
  return { flow: `table=${table},priority=${priority},${matches}actions=${actions}`, why };
}
