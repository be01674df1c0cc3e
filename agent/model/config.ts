import type { ManifestsFlavor } from './manifest-flavors.ts';

/** A value and its source: `ovn.yaml:3`, `default`, `eth0`, … Messages and `config show` print the source. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/**
 * The effective configuration as plain JSON. Every value has its source; settings that are not set have their default.
 */
export interface Config {
  /** True if the agent leaves br-ex unchanged, because the administrator builds it by hand. */
  readonly disableOvsInit: Sourced<boolean>;
  /** Uplink of br-ex: `auto`, `none` (br-ex without a NIC), or the name of an interface. */
  readonly uplink: Sourced<string>;
  /** NIC of the second bridge br-ex1, from ovn.yaml; null if /etc/ovnk/extra_bridge decides. */
  readonly externalUplink: Sourced<string | null>;
  /** MTU of the pod network in bytes; `auto` stands for the largest MTU that the uplink allows. */
  readonly mtu: Sourced<number | 'auto'>;
  /** Settings of the Open vSwitch daemons and of br-ex's data path. */
  readonly ovs: OvsConfig;
  readonly manifests: ManifestsConfig;
  readonly overlay: OverlayConfig;
  readonly cluster: ClusterConfig;
}

export interface OvsConfig {
  /** CPU list as systemd writes it ("0", "0-1,4"); null if no affinity is set. */
  readonly cpuAffinity: Sourced<string | null>;
  /** other_config:n-handler-threads; null if Open vSwitch decides. */
  readonly handlerThreads: Sourced<number | null>;
  /** other_config:n-revalidator-threads; null if Open vSwitch decides. */
  readonly revalidatorThreads: Sourced<number | null>;
  readonly lockMemory: Sourced<boolean>;
  /** Data path of br-ex: `system` in the kernel, `netdev` in ovs-vswitchd. */
  readonly datapathType: Sourced<'system' | 'netdev'>;
}

export interface ManifestsConfig {
  readonly flavor: Sourced<ManifestsFlavor>;
  readonly image: Sourced<string | null>;
  readonly imagePullPolicy: Sourced<'IfNotPresent' | 'Always' | 'Never'>;
}

/** The overlay settings of ovn.yaml. A range is a CIDR; the ranges of two families are separated by a comma. */
export interface OverlayConfig {
  /** Name of this node in the overlay; null for the name of the host. */
  readonly nodeName: Sourced<string | null>;
  /** Ranges of the pods; null if `cluster.clusterNetwork` applies. */
  readonly clusterSubnet: Sourced<string | null>;
  /** Ranges of the services; null if `cluster.serviceNetwork` applies. */
  readonly serviceSubnet: Sourced<string | null>;
  readonly joinSubnet: Sourced<string>;
  readonly encapType: Sourced<'geneve' | 'vxlan'>;
  /** Address of this node's end of the tunnels; `auto` stands for the address on the device of the default route. */
  readonly encapAddress: Sourced<string>;
  /**
   * Path of the kubeconfig with which the daemon follows the cluster; null if the daemon looks for it where the command
   * `manifests` does.
   */
  readonly kubeconfig: Sourced<string | null>;
  /**
   * Ports that services may use at the nodes' own addresses, besides the NodePort range: ports and ranges, separated by
   * commas (`80,443,8000-8099`); null if no port is set.
   */
  readonly servicePorts: Sourced<string | null>;
  /** Address ranges in which `externalIPs` of services are served, separated by commas; null if no range is set. */
  readonly externalIPRanges: Sourced<string | null>;
  readonly fixedAddressRanges: Sourced<string | null>;
  /** Address ranges of the outside clients of this node's pods, separated by commas; null if no client is permitted. */
  readonly outsideClients: Sourced<string | null>;
  /** Interval of BFD in ms, between nodes whose gateways share an address; null if OVN decides. */
  readonly bfdIntervalMs: Sourced<number | null>;
  /**
   * Path of packets between pods of two nodes: `always` through tunnels, `auto` without a tunnel where a direct route
   * works, `never` by direct routes only.
   */
  readonly encapsulation: Sourced<'always' | 'auto' | 'never'>;
}

/** Cluster settings from MicroShift's own config.yaml, which the agent only reads. */
export interface ClusterConfig {
  readonly clusterNetwork: Sourced<readonly string[]>;
  readonly serviceNetwork: Sourced<readonly string[]>;
  readonly serviceNodePortRange: Sourced<string>;
  readonly nodeIp: Sourced<string | null>;
  /** Second node address of a dual-stack cluster; null if MicroShift uses the first IPv6 address that it finds. */
  readonly nodeIpv6: Sourced<string | null>;
  /** `ovnk` if MicroShift deploys its own ovn-kubernetes, which is MicroShift's default (pkg/config/network.go:120). */
  readonly cniPlugin: Sourced<'ovnk' | 'none'>;
  /** Address of the API server; null if MicroShift computes it and adds it to br-ex. */
  readonly advertiseAddress: Sourced<string | null>;
  /** Addresses and interfaces on which MicroShift's router listens; empty if it listens on all. */
  readonly listenAddresses: Sourced<readonly string[]>;
  /** Pod and service networks of the connected clusters (clusterToCluster.remoteClusters). */
  readonly remoteNetworks: Sourced<readonly string[]>;
}

/**
 * Returns true if the cluster's ovn-kubernetes objects are MicroShift's own, which MicroShift applies at every start.
 */
export function microshiftRenders({ cluster }: Pick<Config, 'cluster'>): boolean {
  return cluster.cniPlugin.value !== 'none';
}

/** Returns true if the cluster has both address families. */
export function isDualStack({ clusterNetwork }: Pick<ClusterConfig, 'clusterNetwork'>): boolean {
  return new Set(clusterNetwork.value.map((cidr) => cidr.includes(':'))).size > 1;
}

/** A warning about a configuration that works but is probably a mistake. */
export interface ConfigWarning {
  readonly source: string;
  readonly message: string;
}
