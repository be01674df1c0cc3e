import type { OverlayGateway, OverlayLayout, OverlayNaming, OverlayNode } from '../model/overlay.ts';
import { traitsOf } from './layouts/layouts.ts';

/** Name of the switch between the cluster's router and the gateway routers (ovn-kubernetes, docs/design/topology). */
export const joinSwitch = 'join';

/** Returns the name of a new cluster router. */
export function clusterRouterName(naming: OverlayNaming, centralNode: string): string {
  return traitsOf({ naming }).clusterRouter(centralNode);
}

/** Returns the names of a router's port on the join switch, and of the switch's port to this router. */
export function joinNames(router: string): { readonly onRouter: string; readonly onSwitch: string } {
  return { onRouter: `rtoj-${router}`, onSwitch: `jtor-${router}` };
}

/**
 * Returns the names of a node's ports: the cluster router's port to the node's switch, the switch's port to this
 * router, and the management port.
 */
export function nodeNames(node: string): {
  readonly onRouter: string;
  readonly onSwitch: string;
  readonly management: string;
} {
  return { onRouter: `rtos-${node}`, onSwitch: `stor-${node}`, management: `k8s-${node}` };
}

/** Returns the names of a gateway's router and outside switch, and of the ports between them. */
export function gatewayNames(node: string): {
  readonly router: string;
  readonly outside: string;
  readonly onRouter: string;
  readonly onSwitch: string;
} {
  const router = `GR_${node}`;
  return { router, outside: `ext_${node}`, onRouter: `rtoe-${router}`, onSwitch: `etor-${router}` };
}

/** Returns the names of the outside switch of a VIP, and of the ports that connect it with the cluster's router. */
export function vipNames({ addresses }: Pick<OverlayGateway, 'addresses'>): {
  readonly outside: string;
  readonly onRouter: string;
  readonly onSwitch: string;
} {
  const name = `vip_${(addresses[0] ?? '').replace(/\/.*/, '')}`;
  return { outside: `ext_${name}`, onRouter: `rtoe-${name}`, onSwitch: `etor-${name}` };
}

/**
 * Returns the names of the switch for a peer that is reached in VXLAN, and of the ports between this switch and the
 * cluster's router. No node's name contains `_`.
 */
export function vtepNames(peer: string): {
  readonly onSwitch: string;
  readonly onRouter: string;
  readonly vtepSwitch: string;
} {
  return { onSwitch: `vtor-${peer}`, onRouter: `rtov-${peer}`, vtepSwitch: `vtep_${peer}` };
}

/**
 * Returns the name of the kernel's VXLAN device from whose forwarding table ovn-controller reads the VTEPs of a VNI.
 * OVN 25.09 expects this name; later releases take the name from the switch (`dynamic-routing-vxlan-ifname`).
 */
export function vtepDevice(vni: number): string {
  return `vxlan-${vni}`;
}

/** Name of the kernel's bridge whose ports are the VXLAN devices for peers. */
export const vtepBridge = 'vxlan-drop';

/** Returns the name of the port that connects the outside switch with the NIC. */
export function uplinkPort(naming: OverlayNaming, node: string, gateway: OverlayGateway): string {
  if (gateway.isVip === true) return `${gateway.physicalNetwork}_${vipNames(gateway).outside}`;
  return traitsOf({ naming }).uplinkPort(node, gateway);
}

/**
 * Returns the names of gateway ports that the port of a pod could also have: `br-ex_n1` would be the port of pod `n1`
 * in namespace `br-ex`.
 */
export function reservedPorts(
  { naming }: Pick<OverlayLayout, 'naming'>,
  nodes: readonly OverlayNode[],
): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ name, gateway }) => (gateway === null ? [] : [uplinkPort(naming, name, gateway)])));
}

/** Returns the names of the patch ports that connect br-int and a gateway's bridge in layout `seed`. */
export function patchNames(bridge: string): { readonly inside: string; readonly outside: string } {
  return { inside: `k8s-patch-br-int-${bridge}`, outside: `k8s-patch-${bridge}-br-int` };
}

/** Returns the name of the interface of a node's management port. */
export function managementInterface(naming: OverlayNaming, node: string): string {
  return traitsOf({ naming }).managementInterface(node);
}

/**
 * Names of the load balancer groups, as in ovn-kubernetes: for switches and routers, for switches only, and for routers
 * only.
 */
export const balancerGroups = {
  cluster: 'clusterLBGroup',
  switches: 'clusterSwitchLBGroup',
  routers: 'clusterRouterLBGroup',
} as const;
