/**
 * Options of `ovn-k8s-overlay`, the tool of ovn-kubernetes of 2017, as the administrator wrote them. Lists are
 * separated by commas.
 */
export interface NodeWords {
  readonly clusterIpSubnet: string;
  readonly nodeName: string;
  /**
   * Range of the services, for which ovn-kubernetes of 2017 had no option. If it is absent, the range in the rows of
   * the node stays.
   */
  readonly serviceClusterIpRange?: string;
  /** TLS files for a northbound database that requires them. */
  readonly nbPrivkey?: string;
  readonly nbCert?: string;
  readonly nbCacert?: string;
}

/** Options of `gateway-init`. */
export interface GatewayWords extends NodeWords {
  readonly physicalInterface?: string;
  readonly bridgeInterface?: string;
  readonly physicalIp: string;
  readonly defaultGw?: string;
  readonly rampoutIpSubnets?: string;
  /**
   * Other spelling of the option `--rampout-ip-subnets`, without the last letter. One release of `ovn-k8s-overlay`
   * accepted only this spelling, although its help showed the other one.
   */
  readonly rampoutIpSubnet?: string;
}

/** Requested configuration of a node. Null values leave the current state unchanged. */
export interface NodeRequest {
  readonly name: string;
  readonly clusterSubnets: readonly string[];
  readonly serviceSubnets: readonly string[] | null;
  readonly subnets: readonly string[] | null;
  readonly gateway: GatewayRequest | null;
  /** True if the node starts a cluster when none exists yet. */
  readonly isMaster: boolean;
}

/** Requested gateway of a node, on an existing bridge or on a NIC that only the gateway uses. */
export interface GatewayRequest {
  readonly device: { readonly kind: 'bridge' | 'nic'; readonly name: string };
  /** Addresses in the form `address/prefix`; without a prefix, the prefix length of the device's address is used. */
  readonly addresses: readonly string[];
  readonly nextHops: readonly string[];
  readonly subnets: readonly string[];
}
