import type { ClusterConfig, Sourced } from './config.ts';

/**
 * Returns the settings of the cluster. If the node's own address is IPv6, the ranges of the pods and of the services
 * are MicroShift's defaults for IPv6, each unless it is set (openshift/microshift 8e16b12fda,
 * pkg/config/config.go:506-522). `nodeAddress` is node.nodeIP, or else the address that MicroShift finds on the node;
 * null if it is not known. A link-local address does not count: a node with no other address has not been configured
 * yet.
 */
export function rangesForAddress(cluster: ClusterConfig, nodeAddress: string | null): ClusterConfig {
  if (nodeAddress === null || !nodeAddress.includes(':') || /^fe[89ab]/i.test(nodeAddress)) return cluster;
  const { clusterNetwork, serviceNetwork } = cluster;
  return {
    ...cluster,
    clusterNetwork: clusterNetwork.source === 'default' ? byDefault(['fd01::/48']) : clusterNetwork,
    serviceNetwork: serviceNetwork.source === 'default' ? byDefault(['fd02::/112']) : serviceNetwork,
  };
}

function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}
