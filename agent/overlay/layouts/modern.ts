import type { LayoutTraits } from './layout-traits.ts';

/** Layout of present ovn-kubernetes (go-controller/pkg/ovn). */
export const modern: LayoutTraits = {
  clusterRouter: () => 'ovn_cluster_router',
  isRouterNamedAfterNode: false,
  managementInterface: () => 'ovn-k8s-mp0',
  uplinkPort: (node, { bridge }) => `${bridge}_${node}`,
  hasLocalnetPorts: true,
  clusterPort: (uplinkPort) => `patch-${uplinkPort}-to-br-int`,
  removal: (node) => `microshift-net overlay leave --node ${node}`,
  hasBalancerGroups: true,
  hasRouterAddresses: true,
  derivesMacs: true,
  marksJoinPorts: false,
  hasRouterOptions: true,
  pinsSubnets: true,
  admitsNodes: true,
  excludesNode: true,
  guardsGateways: true,
  translatesJoinAddress: true,
  hasHostRoute: true,
  servesOutsideClients: true,
};
