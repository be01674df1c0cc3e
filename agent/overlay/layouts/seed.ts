import type { LayoutTraits } from './layout-traits.ts';

/**
 * Layout of ovn-kubernetes' first tool of 2017, for the commands of run/overlay/ovn-k8s (docs/use/ovn-k8s-names.md).
 */
export const seed: LayoutTraits = {
  clusterRouter: (centralNode) => centralNode,
  isRouterNamedAfterNode: true,
  managementInterface: (node) => `k8s-${node.slice(0, 11)}`,
  uplinkPort: (node, { bridge, interface: nic }) => `${nic ?? bridge}_${node}`,
  hasLocalnetPorts: false,
  clusterPort: (_uplinkPort, bridge) => `k8s-patch-${bridge}-br-int`,
  removal: (node, router) => `ovn-nbctl --if-exists lr-del ${router} -- --if-exists ls-del ${node}`,
  hasBalancerGroups: false,
  hasRouterAddresses: false,
  derivesMacs: false,
  marksJoinPorts: true,
  hasRouterOptions: false,
  pinsSubnets: false,
  admitsNodes: false,
  excludesNode: false,
  guardsGateways: false,
  translatesJoinAddress: false,
  hasHostRoute: false,
  servesOutsideClients: false,
};
