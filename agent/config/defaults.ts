import type { ClusterConfig, Config, Sourced } from '../model/config.ts';
import { familyOf, isLinkLocal6 } from '../net/address.ts';
import { ovnConfig } from './settings.ts';

/** A value that nobody set. */
function byDefault<T>(value: T): Sourced<T> {
  return { value, source: 'default' };
}

/** The configuration of a node without any configuration file: ovn.yaml's part of it is in config/ovn.schema.json. */
export const defaultConfig: Config = {
  ...ovnConfig(() => null),
  cluster: {
    clusterNetwork: byDefault(['10.42.0.0/16']),
    serviceNetwork: byDefault(['10.43.0.0/16']),
    serviceNodePortRange: byDefault('30000-32767'),
    nodeIp: byDefault(null),
    nodeIpv6: byDefault(null),
    cniPlugin: byDefault('ovnk'),
    advertiseAddress: byDefault(null),
    listenAddresses: byDefault([]),
    remoteNetworks: byDefault([]),
  },
};

/**
 * The cluster with the ranges that MicroShift takes where none are set and the node's own address is IPv6: node.nodeIP, or else what it finds
 * on the node (pkg/config/config.go:506-522). null: not known; nor is it of a node that has only a link-local address yet.
 */
export function rangesForAddress(cluster: ClusterConfig, nodeAddress: string | null): ClusterConfig {
  if (nodeAddress === null || familyOf(nodeAddress) !== 6 || isLinkLocal6(nodeAddress)) return cluster;
  const { clusterNetwork, serviceNetwork } = cluster;
  return {
    ...cluster,
    clusterNetwork: clusterNetwork.source === 'default' ? byDefault(['fd01::/48']) : clusterNetwork,
    serviceNetwork: serviceNetwork.source === 'default' ? byDefault(['fd02::/112']) : serviceNetwork,
  };
}
