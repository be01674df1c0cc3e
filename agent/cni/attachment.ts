import type { PodNetwork } from '../workload/pods/annotations.ts';

/** A pod's interface as it is to be: everything else follows from it. */
export interface Attachment {
  readonly containerId: string;
  readonly netns: string;
  readonly ifname: string;
  /** Its end on the node, which is its port of br-int, too. */
  readonly link: string;
  /** `<namespace>_<name>`, the logical port. */
  readonly logicalPort: string;
  /** By which the kubelet knows the pod. */
  readonly uid: string;
  readonly network: PodNetwork;
  readonly mtu: number;
}

/** IFNAMSIZ less the closing zero. */
const linkNameLength = 15;

/** The node's end of a container's interface: the beginning of the container's id. */
export function linkOf(containerId: string): string {
  return containerId.slice(0, linkNameLength);
}

/** By which a link is known as a pod's, for one that nobody asks for any more. */
export const linkAlias = 'microshift-net pod';

/** Lines for `ip -batch` on the node: the pair, its inner end at once in the namespace; that one stays down until its flows are there. */
export function nodeLines({ link, ifname, netns, mtu, network }: Attachment): readonly string[] {
  return [
    `link add name ${link} mtu ${mtu} type veth peer name ${ifname} mtu ${mtu} address ${network.mac} netns ${netns}`,
    // In the userspace data path the kernel reads what the pod sends, too, and would answer for each of the node's own addresses.
    `link set dev ${link} alias "${linkAlias}" arp off addrgenmode none up`,
  ];
}

/** Lines for `ip -batch` in the pod's namespace. */
export function podLines({ ifname, network }: Attachment): readonly string[] {
  const { addresses, routes, gateways } = network;
  return [
    `link set dev ${ifname} up`,
    // Nobody else can have the address, and the wait for duplicates would hold up the pod.
    ...addresses.map((address) => `address add ${address} dev ${ifname}${isIpv6(address) ? ' nodad' : ''}`),
    ...routes.map(({ destination, nextHop }) => `route add ${destination} via ${nextHop} dev ${ifname}`),
    ...gateways.map((gateway) => `route add default via ${gateway} dev ${ifname}`),
  ];
}

/** external_ids of its Interface (ovn-controller(8): iface-id; ovn-nb(5): iface-id-ver). */
export function interfaceIds({ containerId, ifname, netns, logicalPort, uid, network }: Attachment) {
  return {
    'iface-id': logicalPort,
    'iface-id-ver': uid,
    attached_mac: network.mac,
    ip_addresses: network.addresses.join(','),
    sandbox: containerId,
    'pod-if-name': ifname,
    'pod-netns': netns,
  };
}

export function isIpv6(address: string): boolean {
  return address.includes(':');
}
