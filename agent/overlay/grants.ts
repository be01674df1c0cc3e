import type { GatewayGrant, OverlayGateway, OverlayNode } from '../model/overlay.ts';
import { withoutLength } from './addresses.ts';

export const nothingGranted: GatewayGrant = { addresses: [], subnets: [] };

/**
 * What a member's gateway, as it announces it, has beyond what the central node has granted. A member has without a grant what it has anyway: the address
 * at which its tunnels end, and what its own pods send. Anything else leads packets of others to it.
 */
export function ungranted(
  { subnets: own, granted = nothingGranted }: Pick<OverlayNode, 'subnets' | 'granted'>,
  { addresses, subnets, isVip }: OverlayGateway,
  tunnelAddresses: readonly string[],
): GatewayGrant {
  // The network of an address that several nodes have is a route of the whole cluster, so that its length is granted, too.
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

/** The command that grants this on the central node; null: there is nothing to grant. */
export function grantCommand(node: string, { addresses, subnets }: GatewayGrant): string | null {
  const options = [
    ...(addresses.length === 0 ? [] : ['--gateway', addresses.join()]),
    ...(subnets.length === 0 ? [] : ['--gateway-subnets', subnets.join()]),
  ];
  return options.length === 0 ? null : ['microshift-net overlay pki grant', node, ...options].join(' ');
}
