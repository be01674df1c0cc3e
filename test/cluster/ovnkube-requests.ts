/**
 * Requests of ovnkube to the API with the agent's configuration, found in the sources of December 2024 (6c366bb49) and
 * August 2026 (8871cd9ce); paths are relative to go-controller. Informers list and watch (pkg/factory/factory.go); all
 * other requests name one object.
 */
export interface OvnkubeRequest {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch';
  /** Resource with its group and subresource, as in `leases.coordination.k8s.io` or `nodes/status`. */
  readonly resource: string;
  readonly source: string;
}

const informers = (...resources: string[]): OvnkubeRequest[] =>
  resources.flatMap((resource) =>
    (['list', 'watch'] as const).map((verb) => ({ verb, resource, source: 'pkg/factory/factory.go' })),
  );

/** Requests of ovnkube-node, which connects its node and the pods of that node. */
const nodeAgent: readonly OvnkubeRequest[] = [
  ...informers('namespaces', 'nodes', 'pods', 'services', 'endpointslices.discovery.k8s.io'),
  { verb: 'get', resource: 'nodes', source: 'pkg/node/default_node_network_controller.go (2024)' },
  { verb: 'get', resource: 'pods', source: 'pkg/cni/utils.go' },
  { verb: 'patch', resource: 'nodes/status', source: 'pkg/kube/kube.go, SetAnnotationsOnNode' },
  { verb: 'update', resource: 'nodes/status', source: 'pkg/util/node_annotations.go (2024)' },
  { verb: 'create', resource: 'events', source: 'pkg/util/kube.go, EventRecorder' },
  { verb: 'patch', resource: 'events', source: 'pkg/util/kube.go, EventRecorder' },
];

/** Requests of the controllers that fill the OVN databases. */
const controllers: readonly OvnkubeRequest[] = [
  ...informers('networkpolicies.networking.k8s.io'),
  { verb: 'get', resource: 'namespaces', source: 'pkg/ovn/base_network_controller_namespace.go' },
  { verb: 'patch', resource: 'pods/status', source: 'pkg/kube/kube.go, PatchPodStatusAnnotations (2026)' },
  { verb: 'update', resource: 'pods/status', source: 'pkg/kube/kube.go, UpdatePodStatus (2024)' },
  { verb: 'patch', resource: 'namespaces/status', source: 'pkg/util/namespace_annotation.go (2024)' },
];

/** Requests that only the cluster manager makes, which assigns subnets and ids to nodes. */
const clusterManager: readonly OvnkubeRequest[] = [
  { verb: 'patch', resource: 'services/status', source: 'pkg/ovn/controller/unidling, if ovn-empty-lb-events is on' },
  ...(['get', 'create', 'update'] as const).map((verb) => ({
    verb,
    resource: 'leases.coordination.k8s.io',
    source: 'cmd/ovnkube/ovnkube.go, resourcelock',
  })),
];

/**
 * Requests of the accounts of a flavour; on a single node, the account of the controllers also makes the requests of
 * ovnkube-node.
 */
export const ovnkubeRequests = {
  'multi-node': {
    'ovn-kubernetes-controller': [...nodeAgent, ...controllers, ...clusterManager],
    'ovn-kubernetes-node': nodeAgent,
  },
  // The account of the cluster manager has the role that all flavours share.
  interconnect: {
    'ovn-kubernetes-controller': [...nodeAgent, ...controllers, ...clusterManager],
    'ovn-kubernetes-node': [...nodeAgent, ...controllers],
  },
} as const;
