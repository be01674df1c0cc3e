import type { PodNetwork } from '../workload/pods/annotations.ts';

/**
 * Desired interface of a pod. The commands for ip(8), the port of Open vSwitch and the CNI result are derived from it.
 */
export interface Attachment {
  readonly containerId: string;
  readonly netns: string;
  readonly ifname: string;
  /** Name of the veth end on the node, which is also the name of the port of br-int. */
  readonly link: string;
  /** Name of the logical port: `<namespace>_<name>`. */
  readonly logicalPort: string;
  /** UID by which the kubelet knows the pod. */
  readonly uid: string;
  readonly network: PodNetwork;
  readonly mtu: number;
  /**
   * Ranges to which the pod sends packets that are too large for tunnels. Absent if all packets of the pod fit into
   * tunnels.
   */
  readonly large?: LargePackets;
}

/**
 * Ranges to which a pod sends packets as large as the MTU of its interface. The pod's packets to all other addresses
 * are small enough for a tunnel.
 */
export interface LargePackets {
  /** Size of the largest packet that fits into a tunnel, in bytes. */
  readonly tunnelMtu: number;
  /** Subnets of the cluster's pods, and the ranges of its services. */
  readonly subnets: readonly string[];
  /**
   * Addresses of the management port of the pod's node, in the subnets of the pod. Packets to these addresses are
   * limited to `tunnelMtu`, which is also the MTU of the management port.
   */
  readonly node: readonly string[];
}

/**
 * Key in external_ids of the Interface row. Its value is the MTU of the pod's interface; the key is absent if all
 * packets of the pod fit into tunnels.
 */
const mtuKey = 'pod-mtu';

/**
 * Returns the MTU of a pod's interface from the external_ids of its Interface row; `tunnelMtu` if they do not contain
 * the MTU.
 */
export function podMtuOf(externalIds: Readonly<Record<string, string>>, tunnelMtu: number): number {
  return Number(externalIds[mtuKey] ?? tunnelMtu);
}

/** Length of the longest name of a link: IFNAMSIZ without the terminating zero. */
const linkNameLength = 15;

/**
 * Returns the name of the veth end on the node: the longest prefix of the container id that fits into the name of a
 * link.
 */
export function linkOf(containerId: string): string {
  return containerId.slice(0, linkNameLength);
}

/** Alias of the veth end on the node, by which the CNI command GC finds the links of removed containers. */
export const linkAlias = 'microshift-net pod';

/**
 * Returns the lines for `ip -batch` on the node, which create the veth pair. The pod's end is created in the network
 * namespace of the pod, and stays down until its flows are installed. The lines contain no address and no MAC: both are
 * in the pod's annotation, which can change until the flows are installed.
 */
export function nodeLines({ link, ifname, netns, mtu }: Omit<Attachment, 'network'>): readonly string[] {
  return [
    `link add name ${link} mtu ${mtu} type veth peer name ${ifname} mtu ${mtu} netns ${netns}`,
    // ARP is off on the end of the veth pair that is on the node. With the userspace data path, the kernel also
    // receives the pod's ARP requests, and would answer them for each of the node's own addresses.
    `link set dev ${link} alias "${linkAlias}" arp off addrgenmode none up`,
  ];
}

/** Returns the lines for `ip -batch` in the pod's network namespace. */
export function podLines({ ifname, network, large }: Attachment): readonly string[] {
  const { addresses, routes, gateways } = network;
  const limit = large === undefined ? '' : ` mtu ${large.tunnelMtu}`;
  return [
    `link set dev ${ifname} address ${network.mac} up`,
    // `nodad` omits duplicate address detection: no other host can have the IPv6 address, and the detection would delay
    // the pod.
    ...addresses.map((address) => `address add ${address} dev ${ifname}${isIpv6(address) ? ' nodad' : ''}`),
    ...routes.map(
      ({ destination, nextHop }) =>
        `route add ${destination} via ${nextHop} dev ${ifname}${large?.subnets.includes(destination) === true ? '' : limit}`,
    ),
    ...gateways.map((gateway) => `route add default via ${gateway} dev ${ifname}${limit}`),
    ...(large?.node ?? [])
      .filter((address) => addresses.some((one) => isIpv6(one) === isIpv6(address)))
      .map((address) => `route add ${address} dev ${ifname}${limit}`),
  ];
}

/** Returns the external_ids of the Interface row (ovn-controller(8): iface-id; ovn-nb(5): iface-id-ver). */
export function interfaceIds({ containerId, ifname, netns, logicalPort, uid, network, mtu, large }: Attachment) {
  return {
    'iface-id': logicalPort,
    'iface-id-ver': uid,
    attached_mac: network.mac,
    ip_addresses: network.addresses.join(','),
    sandbox: containerId,
    'pod-if-name': ifname,
    'pod-netns': netns,
    ...(large !== undefined && { [mtuKey]: String(mtu) }),
  };
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}
