import type { ClusterConfig, Sourced } from './config.ts';

/**
 * Returns the cluster with the ranges that MicroShift takes where none are set and the node's own address is IPv6
 * (openshift/microshift 8e16b12fda, pkg/config/config.go:506-522). `nodeAddress`: node.nodeIP, or else what MicroShift finds on the node; null
 * where it is not known. A link-local address decides nothing: the node is to get another one yet.
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
