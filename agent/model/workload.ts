/** Objects of Kubernetes, as far as the network depends on them. Names are those of the API; what is not named is not kept. */

export type Labels = Readonly<Record<string, string>>;

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** `namespace/name`. */
export type ObjectKey = string;

export interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object as far as its budget goes. */
export interface Budgeted {
  /**
   * Why the object is not served, as a sentence for an Event: it is beyond the budget of its kind (workload/budget.ts), and what made it too large is not
   * kept. Absent if it is served.
   */
  readonly refusal?: string;
}

export interface Namespace extends Budgeted {
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  /** Absent: nothing. */
  readonly asks?: readonly UnservedAsk[];
}

/** Request of an object that this network does not serve. */
export type UnservedAsk = 'bandwidth' | 'multicast' | 'egress-ip';

/** v1 Node. What the network needs to know of one is in the overlay's own record; this says only that the cluster has it. */
export interface ClusterNode extends Budgeted {
  readonly name: string;
  readonly uid: string;
  /** Absent: nothing. */
  readonly asks?: readonly UnservedAsk[];
}

export interface Pod extends Named, Budgeted {
  /** The uid of the static pod that it is the API's copy of. Absent: it is none. */
  readonly mirrorOf?: string;
  readonly labels: Labels;
  /** Those that speak of the network. */
  readonly annotations: Labels;
  /** null: not scheduled yet. */
  readonly nodeName: string | null;
  readonly isHostNetwork: boolean;
  /** It has ended and will not start again (phase Succeeded or Failed): its address is free. */
  readonly isOver: boolean;
  /** status.podIPs. */
  readonly podIPs: readonly string[];
  /** Of all its containers; a port may have no name. */
  readonly ports: readonly ContainerPort[];
  /** Ports of its node that lead to them, if something leads them. Absent: it asks for none, or is in the node's own network. */
  readonly hostPorts?: readonly number[];
  /** Absent: nothing. */
  readonly asks?: readonly UnservedAsk[];
}

export interface ContainerPort {
  readonly name: string | null;
  readonly protocol: Protocol;
  readonly containerPort: number;
}

/** metav1.LabelSelector: all of it has to hold; an empty one selects everything. */
export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelExpression[];
}

export interface LabelExpression {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export interface Service extends Named, Budgeted {
  readonly annotations: Labels;
  /** metadata.creationTimestamp. Absent: not said, as in no object of an API server. */
  readonly createdAt?: string;
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  /** Without `None`: a headless service has none. */
  readonly clusterIPs: readonly string[];
  readonly externalIPs: readonly string[];
  /** status.loadBalancer.ingress[].ip. */
  readonly loadBalancerIPs: readonly string[];
  readonly ports: readonly ServicePort[];
  readonly externalTrafficPolicy: 'Cluster' | 'Local';
  readonly internalTrafficPolicy: 'Cluster' | 'Local';
  /** null: no affinity. */
  readonly affinitySeconds: number | null;
  readonly publishNotReadyAddresses: boolean;
  /** spec.loadBalancerSourceRanges. Absent: everybody. */
  readonly sourceRanges?: readonly string[];
  /** Where a load balancer asks whether a node serves it itself. */
  readonly healthCheckNodePort?: number | null;
}

export interface ServicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly nodePort: number | null;
}

export interface EndpointSlice extends Named, Budgeted {
  /** Label kubernetes.io/service-name; null: nobody's. */
  readonly serviceName: string | null;
  readonly addressType: 'IPv4' | 'IPv6' | 'FQDN';
  readonly ports: readonly { readonly name: string; readonly protocol: Protocol; readonly port: number }[];
  readonly endpoints: readonly Endpoint[];
}

export interface Endpoint {
  readonly addresses: readonly string[];
  readonly nodeName: string | null;
  readonly ready: boolean;
  readonly serving: boolean;
  readonly terminating: boolean;
}

/** networking.k8s.io/v1 NetworkPolicy; `policyTypes` is filled in as the API server does. */
export interface NetworkPolicy extends Named, Budgeted {
  readonly podSelector: LabelSelector;
  readonly policyTypes: readonly ('Ingress' | 'Egress')[];
  readonly ingress: readonly PolicyRule[];
  readonly egress: readonly PolicyRule[];
}

/** One entry of ingress (peers are `from`) or egress (`to`). Without peers everybody, without ports every port. */
export interface PolicyRule {
  readonly peers: readonly PolicyPeer[];
  readonly ports: readonly PolicyPort[];
}

export interface PolicyPeer {
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly ipBlock?: { readonly cidr: string; readonly except: readonly string[] };
}

export interface PolicyPort {
  readonly protocol: Protocol;
  /** A name is that of a container's port; null: every port of the protocol. */
  readonly port: number | string | null;
  readonly endPort: number | null;
}

/** All of them, by name or `namespace/name`. */
export interface Workload {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly pods: ReadonlyMap<ObjectKey, Pod>;
  readonly services: ReadonlyMap<ObjectKey, Service>;
  readonly slices: ReadonlyMap<ObjectKey, EndpointSlice>;
  readonly policies: ReadonlyMap<ObjectKey, NetworkPolicy>;
}

interface Change<Kind, One> {
  readonly kind: Kind;
  /** Absent: it is new. */
  readonly before?: One;
  /** Absent: it is gone. */
  readonly now?: One;
}

/** One object before and after. */
export type ObjectChange =
  | Change<'Node', ClusterNode>
  | Change<'Namespace', Namespace>
  | Change<'Pod', Pod>
  | Change<'Service', Service>
  | Change<'EndpointSlice', EndpointSlice>
  | Change<'NetworkPolicy', NetworkPolicy>;

/** The addresses that pods have, each with the length of its node's subnet, IPv4 first: `10.42.1.3/24`. */
export type PodAddresses = ReadonlyMap<ObjectKey, readonly string[]>;
