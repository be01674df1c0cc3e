/** Options of `ovn-k8s-overlay`, the tool of ovn-kubernetes of 2017, as they were written. Lists have commas. */
export interface NodeWords {
  readonly clusterIpSubnet: string;
  readonly nodeName: string;
  /** Files for a northbound database that answers with TLS. */
  readonly nbPrivkey?: string;
  readonly nbCert?: string;
  readonly nbCacert?: string;
}

/** The same of `gateway-init`. */
export interface GatewayWords extends NodeWords {
  readonly physicalInterface?: string;
  readonly bridgeInterface?: string;
  readonly physicalIp: string;
  readonly defaultGw?: string;
  readonly rampoutIpSubnets?: string;
  /** Another spelling of the same: one release of the tool read this one only, and said the other. */
  readonly rampoutIpSubnet?: string;
}

/** What a node is asked to be. `null`: as it is. */
export interface NodeRequest {
  readonly name: string;
  readonly clusterSubnets: readonly string[];
  readonly subnets: readonly string[] | null;
  readonly gateway: GatewayRequest | null;
  /** True: the cluster begins with it, if there is none yet. */
  readonly isMaster: boolean;
}

/** The gateway that a node is asked to have: by a bridge that there is, or by a NIC of its own. */
export interface GatewayRequest {
  readonly device: { readonly kind: 'bridge' | 'nic'; readonly name: string };
  /** `address/prefix`; without a prefix it is the one that the device has. */
  readonly addresses: readonly string[];
  readonly nextHops: readonly string[];
  readonly subnets: readonly string[];
}
