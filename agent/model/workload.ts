/**
 * Kubernetes objects, reduced to the fields on which the network depends. Fields have the names of the Kubernetes API.
 */

export type Labels = Readonly<Record<string, string>>;

export type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** Object key in the form `namespace/name`; `name` alone for objects without a namespace. */
export type NamespacedName = string;

export interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An object whose size is limited by the budget of its kind. */
export interface Budgeted {
  /**
   * Reason why the object is not served, as a sentence for an Event: the object exceeds the budget of its kind
   * (workload/budget.ts), and the fields that made it too large are not kept. Absent if the object is served.
   */
  readonly refusal?: string;
}

export interface Namespace extends Budgeted {
  readonly name: string;
  readonly uid: string;
  readonly labels: Labels;
  /**
   * Features that annotations of the namespace request and that the overlay lacks, such as multicast. Absent if empty.
   */
  readonly asks?: readonly UnservedAsk[];
}

/**
 * Feature that an object requests and that the overlay lacks. The value `unknown-fields` means that the object has
 * fields that this program does not know.
 */
export type UnservedAsk = 'bandwidth' | 'multicast' | 'egress-ip' | 'domain-names' | 'unknown-fields';

/**
 * v1 Node. The overlay's own record has the node's network properties; this object shows that the Kubernetes node
 * exists, and which of these properties are published in annotations of this object.
 */
export interface ClusterNode extends Budgeted {
  readonly name: string;
  readonly uid: string;
  /** Labels of the node. Absent if empty. */
  readonly labels?: Labels;
  /** Annotations by which a network plug-in publishes the addresses of the node. Absent if empty. */
  readonly published?: Labels;
  /**
   * Names of the annotations in `published` that the agent was the last to write (metadata.managedFields). Absent if
   * empty.
   */
  readonly publishedHere?: readonly string[];
  /** Features that labels of the node request and that the overlay lacks, such as EgressIP. Absent if empty. */
  readonly asks?: readonly UnservedAsk[];
}

export interface Pod extends Named, Budgeted {
  /**
   * UID of the static pod of which this object is the API server's mirror pod. Absent if the pod is not a mirror pod.
   */
  readonly mirrorOf?: string;
  readonly labels: Labels;
  /** Annotations that concern the network. */
  readonly annotations: Labels;
  /** Node of the pod; null if the pod is not scheduled yet. */
  readonly nodeName: string | null;
  readonly isHostNetwork: boolean;
  /** True if the pod has ended for good (phase Succeeded or Failed), so that its address is free. */
  readonly isOver: boolean;
  /** Addresses of the pod (status.podIPs). */
  readonly podIPs: readonly string[];
  /** Ports of all containers; a port may have no name. */
  readonly ports: readonly ContainerPort[];
  /**
   * Ports of the node (hostPort) that lead to the pod, if a program on the node implements hostPort. Absent if empty,
   * or if the pod uses the host network.
   */
  readonly hostPorts?: readonly number[];
  /**
   * Features that annotations of the pod request and that the overlay lacks, such as a limit of the bandwidth. Absent
   * if empty.
   */
  readonly asks?: readonly UnservedAsk[];
}

export interface ContainerPort {
  readonly name: string | null;
  readonly protocol: Protocol;
  readonly containerPort: number;
}

/** metav1.LabelSelector. All conditions have to hold; an empty selector selects everything. */
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
  /** Time of creation (metadata.creationTimestamp). Absent if it is not set; an API server always sets it. */
  readonly createdAt?: string;
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  /** Cluster IPs without the value `None`, so the list of a headless service is empty. */
  readonly clusterIPs: readonly string[];
  readonly externalIPs: readonly string[];
  /** Addresses of the load balancer (status.loadBalancer.ingress[].ip). */
  readonly loadBalancerIPs: readonly string[];
  readonly ports: readonly ServicePort[];
  readonly externalTrafficPolicy: 'Cluster' | 'Local';
  readonly internalTrafficPolicy: 'Cluster' | 'Local';
  /** Timeout of the ClientIP session affinity in seconds; null if the service has no affinity. */
  readonly affinitySeconds: number | null;
  readonly publishNotReadyAddresses: boolean;
  /**
   * Field or annotation that prefers some endpoints to others by their location, with its value. Absent if the service
   * has none.
   */
  readonly preference?: string;
  /**
   * Ranges of the clients that are permitted at the addresses of the load balancer (spec.loadBalancerSourceRanges), in
   * canonical form, each address in at most one of them. Absent if every client is permitted.
   */
  readonly sourceRanges?: readonly string[];
  /**
   * Port on which an external load balancer checks whether a node has endpoints of the service; null or absent if the
   * service has none.
   */
  readonly healthCheckNodePort?: number | null;
}

export interface ServicePort {
  readonly name: string;
  readonly protocol: Protocol;
  readonly port: number;
  readonly nodePort: number | null;
}

export interface EndpointSlice extends Named, Budgeted {
  /** Label kubernetes.io/service-name; null if it is not set. */
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

/** networking.k8s.io/v1 NetworkPolicy. Missing `policyTypes` are filled in as the API server does. */
export interface NetworkPolicy extends Named, Budgeted {
  readonly podSelector: LabelSelector;
  readonly policyTypes: readonly ('Ingress' | 'Egress')[];
  readonly ingress: readonly PolicyRule[];
  readonly egress: readonly PolicyRule[];
}

/**
 * Rule of ingress (peers are `from`) or egress (peers are `to`). An empty list of peers allows every peer, and an empty
 * list of ports allows every port.
 */
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
  /** Port number, or name of a container port; null for every port of the protocol. */
  readonly port: number | string | null;
  readonly endPort: number | null;
}

/** policy.networking.k8s.io/v1alpha2 ClusterNetworkPolicy. */
export interface ClusterNetworkPolicy extends Budgeted {
  readonly name: string;
  readonly uid: string;
  readonly tier: 'Admin' | 'Baseline';
  /** Number from 0 to 1000. Of the policies in a tier, the one with the lowest number is evaluated first. */
  readonly priority: number;
  /** Pods to which the policy applies; null if it applies to none, because its subject has only unknown fields. */
  readonly subject: SelectedPods | null;
  readonly ingress: readonly ClusterRule[];
  readonly egress: readonly ClusterRule[];
  /**
   * Label whose value is the group of a namespace; a namespace without the label is a group of its own. The policy then
   * accepts ingress from pods of the same group before it evaluates its rules. Absent if the policy has no groups.
   */
  readonly groupLabel?: string;
  /** Features that the policy uses and that the overlay lacks, such as domain names of peers. Absent if empty. */
  readonly asks?: readonly UnservedAsk[];
}

/** Selection of pods by the labels of their namespaces and by their own labels. */
export interface SelectedPods {
  readonly namespaces: LabelSelector;
  readonly pods: LabelSelector;
}

/**
 * Rule of a ClusterNetworkPolicy. The rule concerns a packet if one of its peers matches and, unless the list of
 * protocols is empty, one of its protocols matches.
 */
export interface ClusterRule {
  /** Name that the administrator gave to the rule; empty without a name. */
  readonly name: string;
  readonly action: 'Accept' | 'Deny' | 'Pass';
  readonly peers: readonly ClusterPeer[];
  readonly protocols: readonly ClusterProtocol[];
}

export type ClusterPeer =
  | { readonly pods: SelectedPods }
  | { readonly nodes: LabelSelector }
  | { readonly networks: readonly string[] };

/** Range of port numbers of a protocol, or the name of a container port, with any protocol. */
export type ClusterProtocol =
  | { readonly protocol: Protocol; readonly first: number; readonly last: number }
  | { readonly namedPort: string };

/** All followed objects, by name or by `namespace/name`. */
export interface Workload {
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly namespaces: ReadonlyMap<string, Namespace>;
  readonly pods: ReadonlyMap<NamespacedName, Pod>;
  readonly services: ReadonlyMap<NamespacedName, Service>;
  readonly slices: ReadonlyMap<NamespacedName, EndpointSlice>;
  readonly policies: ReadonlyMap<NamespacedName, NetworkPolicy>;
  readonly clusterPolicies: ReadonlyMap<string, ClusterNetworkPolicy>;
  /**
   * Kinds that the API server refuses to list. Their objects are unknown, so their rows have to stay. Absent if
   * empty.
   */
  readonly unread?: ReadonlySet<ObjectChange['kind']>;
}

/** Name of a collection of followed objects. */
export type CollectionName = Exclude<keyof Workload, 'unread'>;

interface Change<Kind, One> {
  readonly kind: Kind;
  /** Object before the change. Absent if the object is new. */
  readonly before?: One;
  /** Object after the change. Absent if the object was deleted. */
  readonly now?: One;
}

/** Change of one object, with the object before and after. */
export type ObjectChange =
  | Change<'Node', ClusterNode>
  | Change<'Namespace', Namespace>
  | Change<'Pod', Pod>
  | Change<'Service', Service>
  | Change<'EndpointSlice', EndpointSlice>
  | Change<'NetworkPolicy', NetworkPolicy>
  | Change<'ClusterNetworkPolicy', ClusterNetworkPolicy>;

/**
 * Addresses of the pods by object key, each with the prefix length of its node's subnet, IPv4 first: `10.42.1.3/24`.
 */
export type PodAddresses = ReadonlyMap<NamespacedName, readonly string[]>;
