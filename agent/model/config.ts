/** A value and where it came from: `ovn.yaml:3`, `default`, `eth0`, …; messages and `config show` print the source. */
export interface Sourced<T> {
  readonly value: T;
  readonly source: string;
}

/** The effective configuration: every value knows its source, absent settings carry their default. Plain JSON. */
export interface Config {
  /** True: leave br-ex alone, the admin builds it by hand. */
  readonly disableOvsInit: Sourced<boolean>;
  /** `auto`, `none` (br-ex without a NIC), or the name of an interface. */
  readonly uplink: Sourced<string>;
  /** NIC of the second bridge br-ex1, from ovn.yaml; null: /etc/ovnk/extra_bridge decides. */
  readonly externalUplink: Sourced<string | null>;
  /** MTU of the pods' network in bytes, or `auto`: the uplink's MTU. */
  readonly mtu: Sourced<number | 'auto'>;
  /** Does nothing any more; known for the warning that says so. */
  readonly ovs: OvsConfig;
  readonly manifests: ManifestsConfig;
  readonly overlay: OverlayConfig;
  readonly cluster: ClusterConfig;
}

export interface OvsConfig {
  /** CPU list as systemd writes it ("0", "0-1,4"); null: no affinity is set. */
  readonly cpuAffinity: Sourced<string | null>;
  /** other_config:n-handler-threads; null: left to Open vSwitch. */
  readonly handlerThreads: Sourced<number | null>;
  /** other_config:n-revalidator-threads; null: left to Open vSwitch. */
  readonly revalidatorThreads: Sourced<number | null>;
  readonly lockMemory: Sourced<boolean>;
  /** `system`: kernel data path; `netdev`: userspace data path. */
  readonly datapathType: Sourced<'system' | 'netdev'>;
}

export type ManifestsFlavor = 'auto' | 'classic' | 'no-uplink' | 'multi-node' | 'interconnect';

/** The flavours whose nodes reach each other through tunnels. */
export const tunnelFlavors: readonly ManifestsFlavor[] = ['multi-node', 'interconnect'];

export interface ManifestsConfig {
  readonly flavor: Sourced<ManifestsFlavor>;
  readonly image: Sourced<string | null>;
  readonly imagePullPolicy: Sourced<'IfNotPresent' | 'Always' | 'Never'>;
}

/** The node's part in a cluster network of ours; ranges are as in the file, with a comma between those of two families. */
export interface OverlayConfig {
  /** null: the host's name. */
  readonly nodeName: Sourced<string | null>;
  /** null: as `cluster.clusterNetwork`. */
  readonly clusterSubnet: Sourced<string | null>;
  /** null: as `cluster.serviceNetwork`. */
  readonly serviceSubnet: Sourced<string | null>;
  readonly joinSubnet: Sourced<string>;
  readonly encapType: Sourced<'geneve' | 'vxlan'>;
  /** `auto`: the address of the default route. */
  readonly encapAddress: Sourced<string>;
  /** Path of the kubeconfig with which the daemon follows the cluster; null: as `manifests` finds it. */
  readonly kubeconfig: Sourced<string | null>;
  /** Ports and ranges of ports with a comma between them, `80,443,8000-8099`; null: none. */
  readonly servicePorts: Sourced<string | null>;
  /** Address ranges with a comma between them; null: none. */
  readonly externalIPRanges: Sourced<string | null>;
  readonly fixedAddressRanges: Sourced<string | null>;
}

/** What MicroShift's own config.yaml says of the cluster; read only. */
export interface ClusterConfig {
  readonly clusterNetwork: Sourced<readonly string[]>;
  readonly serviceNetwork: Sourced<readonly string[]>;
  readonly serviceNodePortRange: Sourced<string>;
  readonly nodeIp: Sourced<string | null>;
  /** Only where the cluster has both families; null: MicroShift takes the first that it finds. */
  readonly nodeIpv6: Sourced<string | null>;
  /** `ovnk`: MicroShift puts its own ovn-kubernetes on the cluster; so it does where nothing is said (pkg/config/network.go:120). */
  readonly cniPlugin: Sourced<'ovnk' | 'none'>;
  /** null: MicroShift computes it, and puts it on br-ex. */
  readonly advertiseAddress: Sourced<string | null>;
  /** Addresses and interfaces that MicroShift's router listens on; empty: all. */
  readonly listenAddresses: Sourced<readonly string[]>;
  /** Networks of pods and services of the clusters this one is connected with (clusterToCluster.remoteClusters). */
  readonly remoteNetworks: Sourced<readonly string[]>;
}

/** True where the objects of ovn-kubernetes on the cluster are MicroShift's own, which it puts there at each of its starts. */
export function microshiftRenders({ cluster }: Pick<Config, 'cluster'>): boolean {
  return cluster.cniPlugin.value !== 'none';
}

/** True where the cluster has both families. */
export function isDualStack({ clusterNetwork }: Pick<ClusterConfig, 'clusterNetwork'>): boolean {
  return new Set(clusterNetwork.value.map((cidr) => cidr.includes(':'))).size > 1;
}

/** A remark about a configuration that works but is probably not meant. */
export interface ConfigWarning {
  readonly source: string;
  readonly message: string;
}
