import type { GatewayGrant, OverlayGateway, OverlayNode } from '../../model/overlay.ts';
import { withoutLength } from '../addresses.ts';

export const nothingGranted: GatewayGrant = { addresses: [], subnets: [] };

/**
 * Returns the addresses and subnets that a member's gateway announces beyond the central node's grants. A member needs
 * no grant for the subnets of its own pods. It also needs none for the address at which its tunnels end, unless this
 * address is a VIP. Any other address or subnet would lead packets of other nodes to the member.
 */
export function ungranted(
  { subnets: own, granted = nothingGranted }: Pick<OverlayNode, 'subnets' | 'granted'>,
  { addresses, subnets, isVip }: OverlayGateway,
  tunnelAddresses: readonly string[],
): GatewayGrant {
  // The prefix of an address that several nodes share becomes a route of the whole cluster, so the grant has to contain
  // the prefix length.
  const withLength = isVip === true;
  const allowed = withLength ? granted.addresses : [...granted.addresses, ...tunnelAddresses];
  const words = (address: string): readonly string[] => (withLength ? [address] : [address, withoutLength(address)]);
  return {
    addresses: addresses
      .filter((address) => !words(address).some((word) => allowed.includes(word)))
      .map((address) => (withLength ? address : withoutLength(address))),
    subnets: subnets.filter((subnet) => ![...own, ...granted.subnets].includes(subnet)),
  };
}

/** Returns the command by which the central node grants these addresses and subnets; null if both lists are empty. */
export function grantCommand(node: string, { addresses, subnets }: GatewayGrant): string | null {
  const options = [
    ...(addresses.length === 0 ? [] : ['--gateway', addresses.join()]),
    ...(subnets.length === 0 ? [] : ['--gateway-subnets', subnets.join()]),
  ];
  return options.length === 0 ? null : ['microshift-net overlay pki grant', node, ...options].join(' ');
}
