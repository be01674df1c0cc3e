import type { OverlayChassis, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { OverlayPeer, VtepSettings } from '../../model/overlay-peer.ts';
import { isIpv6, macOf, withoutLength } from '../addresses.ts';
import { vtepRouterAddress } from './vtep-rows.ts';

/**
 * Returns the settings that the appliance of a peer in VXLAN needs; null for a peer that is reached by routers. Every
 * registered node whose OVN supports it receives packets for pods of all nodes.
 */
export function vtepSettingsOf(
  { clusterSubnets, mtu }: Pick<OverlayLayout, 'clusterSubnets' | 'mtu'>,
  members: readonly Pick<OverlayNode, 'name' | 'systemId'>[],
  chassis: readonly OverlayChassis[],
  { subnets, vtep }: OverlayPeer,
): VtepSettings | null {
  if (vtep === undefined) return null;
  const router = withoutLength(vtepRouterAddress({ subnets }));
  return {
    router,
    routerMac: macOf(router),
    mtuBytes: mtu,
    destinations: clusterSubnets.filter((one) => !isIpv6(one)),
    nodes: members.flatMap(({ name, systemId }) => {
      const found = chassis.find((one) => one.name === systemId);
      const encaps = found?.hasVteps === true ? found.encaps : [];
      const address = encaps.map((one) => one.address).find((one) => !isIpv6(one));
      return address === undefined ? [] : [{ node: name, address }];
    }),
  };
}
