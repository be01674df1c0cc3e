import type { Labels, NamespacedName } from './workload.ts';

/** Host behind a port, such as a VM. */
export interface PortHost {
  readonly mac: string;
  /** Addresses without prefix length, one of each family of the node's subnets, IPv4 first. */
  readonly addresses: readonly string[];
}

/** Port of a node's switch for hosts that are not pods. The hosts are behind a VM's tap, a NIC, or a VLAN of a NIC. */
export interface OverlayPort {
  /** Name of the port, unique in the cluster. */
  readonly name: string;
  readonly node: string;
  /** Interface of the node that leads to the hosts. It need not exist all the time. */
  readonly interface: string;
  /** VLAN of the interface that leads to the hosts; null for untagged packets. */
  readonly vlan: number | null;
  /** Namespace and labels by which network policies select the hosts. */
  readonly namespace: string;
  readonly labels: Labels;
  readonly hosts: readonly PortHost[];
}

/** Request for a port, before its hosts have addresses. */
export interface PortRequest extends Omit<OverlayPort, 'hosts'> {
  /** MACs of the hosts; empty for one host whose MAC follows from its address. */
  readonly macs: readonly string[];
  /** Requested addresses: of each family either none or one for each host, in the order of the hosts. */
  readonly addresses: readonly string[];
}

/**
 * Options of `overlay port add` as they were typed. In an option with several words (`--mac A B,C`), each word is an
 * element of the list; it may be several values with commas between them.
 */
export interface PortOptions {
  readonly interface: string;
  readonly node?: string;
  readonly vlan?: number;
  readonly mac?: readonly string[];
  readonly address?: readonly string[];
  readonly namespace?: string;
  readonly label?: readonly string[];
}

/** Interface of a node that is a port of br-int, with the logical port that ovn-controller binds to it. */
export interface AttachedInterface {
  readonly interface: string;
  readonly logicalPort: string;
}

/**
 * Largest number of ports of a cluster. A single value of SB_Global.external_ids, which every member reads, lists the
 * interfaces of all ports.
 */
export const mostPorts = 256;
/** Largest number of hosts behind one port. Each host costs OVN some flows on each node. */
export const mostHosts = 64;

/** Returns true for the name of a port: a label of RFC 1123, like the name of a namespace in Kubernetes. */
export function isPortName(text: string): boolean {
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text);
}

/** Returns true for the name of a network interface of Linux that Open vSwitch and this product accept. */
export function isInterfaceName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,14}$/.test(text);
}

/**
 * Returns the object key under which the planner of network policies has a port in its list of pods: `db/vm1@n1` for
 * port vm1 of node n1 in namespace db. No pod has such a key, because names of pods do not contain `@`.
 */
export function portKey({ namespace, name, node }: OverlayPort): NamespacedName {
  return `${namespace}/${name}@${node}`;
}

/** Returns true for the object key of a port, as `portKey` returns it; false for the object key of a pod. */
export function isPortKey(key: NamespacedName): boolean {
  return key.includes('@');
}

/** A port with the settings that its hosts need. */
export interface PortState {
  readonly port: OverlayPort;
  /** True if OVN has bound the port to its interface. */
  readonly isBound: boolean;
  /** Hosts of the port. In this field, addresses have the form `address/prefix`. */
  readonly hosts: readonly PortHost[];
  /** Next hops of the hosts' default routes, one of each family of the node's subnets. */
  readonly gateways: readonly string[];
  /** MTU in bytes that the interfaces of the hosts need. */
  readonly mtuBytes: number;
}
