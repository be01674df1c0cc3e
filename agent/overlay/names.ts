import type { OverlayGateway, OverlayLayout, OverlayNaming, OverlayNode } from '../model/overlay.ts';

/** The switch between the cluster's router and those of the gateways (ovn-kubernetes, docs/design/topology). */
export const joinSwitch = 'join';

/** Name of the cluster's router where there is none yet. The tool of 2017 named it after the node it ran on first. */
export function clusterRouterName(naming: OverlayNaming, centralNode: string): string {
  return naming === 'modern' ? 'ovn_cluster_router' : centralNode;
}

/** Names on the join switch of a router. */
export function joinNames(router: string): { readonly onRouter: string; readonly onSwitch: string } {
  return { onRouter: `rtoj-${router}`, onSwitch: `jtor-${router}` };
}

/** Names of a node's rows. */
export function nodeNames(node: string): {
  readonly onRouter: string;
  readonly onSwitch: string;
  readonly management: string;
} {
  return { onRouter: `rtos-${node}`, onSwitch: `stor-${node}`, management: `k8s-${node}` };
}

/** Names of a gateway's rows. */
export function gatewayNames(node: string): {
  readonly router: string;
  readonly outside: string;
  readonly onRouter: string;
  readonly onSwitch: string;
} {
  const router = `GR_${node}`;
  return { router, outside: `ext_${node}`, onRouter: `rtoe-${router}`, onSwitch: `etor-${router}` };
}

/** Names of the rows of an address that moves between gateways. */
export function vipNames({ addresses }: Pick<OverlayGateway, 'addresses'>): {
  readonly outside: string;
  readonly onRouter: string;
  readonly onSwitch: string;
} {
  const name = `vip_${(addresses[0] ?? '').replace(/\/.*/, '')}`;
  return { outside: `ext_${name}`, onRouter: `rtoe-${name}`, onSwitch: `etor-${name}` };
}

/** The port of the outside switch that stands for the NIC. */
export function uplinkPort(naming: OverlayNaming, node: string, gateway: OverlayGateway): string {
  const { bridge, interface: nic, physicalNetwork } = gateway;
  if (gateway.isVip === true) return `${physicalNetwork}_${vipNames(gateway).outside}`;
  return naming === 'seed' ? `${nic ?? bridge}_${node}` : `${bridge}_${node}`;
}

/** Returns names of nodes' ports that a Kubernetes object could also have: `br-ex_n1` would be pod `n1` of namespace `br-ex`. */
export function reservedPorts(
  { naming }: Pick<OverlayLayout, 'naming'>,
  nodes: readonly OverlayNode[],
): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ name, gateway }) => (gateway === null ? [] : [uplinkPort(naming, name, gateway)])));
}

/** In `seed`, the two ports by which br-int and the bridge of a gateway are connected. */
export function patchNames(bridge: string): { readonly inside: string; readonly outside: string } {
  return { inside: `k8s-patch-br-int-${bridge}`, outside: `k8s-patch-${bridge}-br-int` };
}

/** The node's own interface in the cluster. A name of Linux has 15 characters (IFNAMSIZ). */
export function managementInterface(naming: OverlayNaming, node: string): string {
  return naming === 'seed' ? `k8s-${node.slice(0, 11)}` : 'ovn-k8s-mp0';
}

/** Groups of load balancers that ovn-kubernetes has for services: of switches and routers, of one of the two. */
export const balancerGroups = {
  cluster: 'clusterLBGroup',
  switches: 'clusterSwitchLBGroup',
  routers: 'clusterRouterLBGroup',
} as const;
