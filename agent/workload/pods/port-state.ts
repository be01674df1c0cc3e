import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { OverlayPort, PortState } from '../../model/overlay-port.ts';
import { rangeOf, sameFamily, withoutLength } from '../../overlay/addresses.ts';
import { routerAddresses } from '../../overlay/cluster/node-rows.ts';

/**
 * Returns an overlay port with the settings of its hosts: their addresses with the prefix length of the node's subnets,
 * the gateways in these subnets, and the MTU of the overlay.
 */
export function portState(
  port: OverlayPort,
  node: Pick<OverlayNode, 'subnets'>,
  { mtu }: Pick<OverlayLayout, 'mtu'>,
  isBound: boolean,
): PortState {
  const withLength = (address: string): string => {
    const subnet = sameFamily(node.subnets, address);
    return subnet === null ? address : `${address}/${rangeOf(subnet).prefixLength}`;
  };
  return {
    port,
    isBound,
    hosts: port.hosts.map(({ mac, addresses }) => ({ mac, addresses: addresses.map(withLength) })),
    gateways: routerAddresses(node).map(withoutLength),
    mtuBytes: mtu,
  };
}
