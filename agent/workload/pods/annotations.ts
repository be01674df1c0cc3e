/** Annotations by which a pod's addresses are told; the CNI plugin reads `podNetworks`. */
export const annotationNames = {
  podNetworks: 'k8s.ovn.org/pod-networks',
  /** Of the tool of 2017. */
  first: 'ovn',
  /** Asks for addresses, one of each family with a comma between them. */
  requested: 'microshift-net/ip-address',
} as const;

/** What a pod's annotations say of its network. */
export interface PodNetwork {
  /** With their length, IPv4 first: `10.42.1.3/24`. */
  readonly addresses: readonly string[];
  readonly mac: string;
  readonly gateways: readonly string[];
  readonly routes: readonly { readonly destination: string; readonly nextHop: string }[];
}
