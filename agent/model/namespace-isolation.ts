/** Name of the ClusterNetworkPolicy by which `overlay isolation` separates namespaces. */
export const isolationName = 'microshift-net-isolation';

/** Label whose value is the group of a namespace, if the administrator names no other label. */
export const defaultGroupLabel = 'microshift-net/group';

/**
 * Namespaces whose pods reach all pods and are reached from all pods, if the administrator names no others: the
 * namespaces of the services on which all pods depend. `openshift-dns` and `openshift-ingress` are MicroShift's.
 */
export const defaultGlobalNamespaces: readonly string[] = [
  'default',
  'kube-system',
  'openshift-dns',
  'openshift-ingress',
];

/** Settings of the separation of namespaces from each other. */
export interface Isolation {
  /** Names of the namespaces whose pods reach the pods of every namespace, and are reached by them. */
  readonly globalNamespaces: readonly string[];
  /** Label whose value is the group of a namespace; a namespace without the label is a group of its own. */
  readonly groupLabel: string;
}

/**
 * Connections that the network policies and cluster policies allow from the pods of one namespace to those of another:
 * all, some or none.
 */
export type Reach = 'all' | 'some' | 'none';

/** Namespaces, and the connections that the network policies and cluster policies allow between them. */
export interface ReachMatrix {
  /** The isolation that is enabled; null if no isolation is enabled. */
  readonly isolation: Isolation | null;
  readonly namespaces: readonly { readonly name: string; readonly group: string | null }[];
  readonly reaches: readonly { readonly from: string; readonly to: string; readonly reach: Reach }[];
}
