import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type {
  ClusterNetworkPolicy,
  ClusterNode,
  CollectionName,
  EndpointSlice,
  Namespace,
  NetworkPolicy,
  ObjectChange,
  Pod,
  Service,
} from '../../../model/workload.ts';
import { readNode } from '../../../workload/cluster-nodes.ts';
import { readClusterPolicy } from '../../../workload/cluster-policies/read-cluster-policy.ts';
import { readPod } from '../../../workload/pods/read-pod.ts';
import { readNamespace } from '../../../workload/policies/read-namespace.ts';
import { readPolicy } from '../../../workload/policies/read-policy.ts';
import { readService } from '../../../workload/services/read-service.ts';
import { readSlice } from '../../../workload/services/read-slice.ts';

/** Fields of an object of Kubernetes on which the network depends. */
export type Projected = ClusterNode | Namespace | Pod | Service | EndpointSlice | NetworkPolicy | ClusterNetworkPolicy;

/** Kind of objects that the watcher follows. */
export interface Kind {
  readonly kind: ObjectChange['kind'];
  readonly collection: Parameters<KubernetesApi['follow']>[0];
  /** First word of the object key. */
  readonly keyPrefix: string;
  /** Name of the collection that contains the objects of this kind. */
  readonly of: CollectionName;
  read(object: unknown): Projected;
}

const everywhere = { namespace: null };

/** Version of the API in which cluster policies are read. */
export const clusterPolicyVersion = 'policy.networking.k8s.io/v1alpha2';

export const kinds: readonly Kind[] = [
  {
    kind: 'Node',
    keyPrefix: 'node',
    of: 'nodes',
    collection: { apiVersion: 'v1', plural: 'nodes', ...everywhere },
    read: readNode,
  },
  {
    kind: 'Namespace',
    keyPrefix: 'namespace',
    of: 'namespaces',
    collection: { apiVersion: 'v1', plural: 'namespaces', ...everywhere },
    read: readNamespace,
  },
  {
    kind: 'Pod',
    keyPrefix: 'pod',
    of: 'pods',
    collection: { apiVersion: 'v1', plural: 'pods', ...everywhere },
    read: readPod,
  },
  {
    kind: 'Service',
    keyPrefix: 'service',
    of: 'services',
    collection: { apiVersion: 'v1', plural: 'services', ...everywhere },
    read: readService,
  },
  {
    kind: 'EndpointSlice',
    keyPrefix: 'slice',
    of: 'slices',
    collection: { apiVersion: 'discovery.k8s.io/v1', plural: 'endpointslices', ...everywhere },
    read: readSlice,
  },
  {
    kind: 'NetworkPolicy',
    keyPrefix: 'policy',
    of: 'policies',
    collection: { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies', ...everywhere },
    read: readPolicy,
  },
  {
    kind: 'ClusterNetworkPolicy',
    keyPrefix: 'cluster-policy',
    of: 'clusterPolicies',
    collection: {
      apiVersion: clusterPolicyVersion,
      plural: 'clusternetworkpolicies',
      ...everywhere,
      isOptional: true,
    },
    read: readClusterPolicy,
  },
];

/** Returns `namespace/name`, or the name of an object without a namespace. */
export function keyOf(object: Projected): string {
  return 'namespace' in object ? `${object.namespace}/${object.name}` : object.name;
}
