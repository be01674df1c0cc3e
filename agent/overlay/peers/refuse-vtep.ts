import { AgentError } from '../../errors.ts';
import type { OverlayChassis, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { type OverlayPeer, type VtepPeer, vtepPeersOf } from '../../model/overlay-peer.ts';
import { isHost, isIpv6, isWithin, macOf, rangeOf, withoutLength } from '../addresses.ts';
import { traitsOf } from '../layouts/layouts.ts';
import { nodeAddresses } from '../node-ports.ts';
import { vtepRouterAddress } from './vtep-rows.ts';

/** Facts about the cluster that is to get a peer in VXLAN. */
interface VtepFacts {
  readonly layout: OverlayLayout;
  readonly members: readonly OverlayNode[];
  readonly peers: readonly OverlayPeer[];
  readonly chassis: readonly OverlayChassis[];
}

/**
 * Prefix lengths of the subnet of a VTEP. The longest leaves an address for the router and one for a host. The shortest
 * limits the rows of MAC_Binding, of which a host of the peer can cause one for each address of the subnet.
 */
const prefixLengths = { shortest: 20, longest: 30 } as const;

/**
 * Fails with `overlay-conflict` if the cluster cannot have the peer because of its VTEP: a member's ovn-controller does
 * not exchange packets with VTEPs; the layout of the cluster is that of 2017; the cluster has no IPv4; the tunnels
 * between members are VXLAN, or have no IPv4 address; the subnet is too small or too large; no host can have the VTEP's
 * address, or it is within the cluster or belongs to a member; the MAC is that of a group or of the router; another
 * peer has the VNI.
 */
export function refuseVtep({ name, subnets, vtep }: VtepPeer, facts: VtepFacts): void {
  const { layout, members, peers } = facts;
  const { address, vni, mac } = vtep;
  const subnet = subnets[0] ?? '';
  const instead = `reach ${subnet} by a router: microshift-net overlay peer add ${name} --next-hop ADDRESS --subnet ${subnet}`;
  if (!traitsOf(layout).servesOutsideClients)
    throw conflict('the rows of this cluster have the form of 2017, which has no peers in VXLAN', instead);
  if (layout.clusterSubnets.every(isIpv6))
    throw conflict(`${subnet} is a subnet of IPv4, and this cluster has no IPv4`, 'reach an IPv6 subnet by a router');
  const lacking = withoutVteps(facts);
  if (lacking.length > 0)
    throw conflict(
      `OVN of ${lacking.join(', ')} cannot exchange VXLAN packets with ${address}, because its release is older than 25.09`,
      `${instead}; or install a newer OVN on each node`,
    );
  for (const member of members) refuseTunnels(member, address, facts, instead);
  const { prefixLength } = rangeOf(subnet);
  if (prefixLength < prefixLengths.shortest || prefixLength > prefixLengths.longest)
    throw conflict(
      `${subnet} is too ${prefixLength < prefixLengths.shortest ? 'large' : 'small'} for a peer in VXLAN`,
      `write a subnet with a prefix from /${prefixLengths.shortest} to /${prefixLengths.longest}`,
    );
  refuseAddress(address, subnet, facts);
  const ownMac = macOf(withoutLength(vtepRouterAddress({ subnets })));
  if (mac === ownMac || Number.parseInt(mac.slice(0, 2), 16) % 2 === 1)
    throw conflict(
      mac === ownMac ? `${mac} is the MAC of the router in ${subnet}` : `${mac} is the MAC of a group, not of a host`,
      'write the MAC of the tunnel interface of the appliance',
    );
  const other = vtepPeersOf(peers).find((one) => one.vtep.vni === vni);
  if (other !== undefined)
    throw conflict(`the peer ${other.name} has the VNI ${vni}`, 'give each peer in VXLAN a VNI of its own, with --vni');
}

/**
 * Returns the names of the registered members whose ovn-controller does not exchange packets with VTEPs. A member that
 * has not registered is left out, because its release is not known.
 */
export function withoutVteps({ members, chassis }: Pick<VtepFacts, 'members' | 'chassis'>): readonly string[] {
  return members
    .filter(({ systemId }) => chassis.some((one) => one.name === systemId && one.hasVteps !== true))
    .map(({ name }) => name);
}

/** Refuses a VTEP because of the tunnels of a member, as far as the member has registered. */
function refuseTunnels(
  { name, systemId }: OverlayNode,
  address: string,
  { chassis }: VtepFacts,
  instead: string,
): void {
  const encaps = chassis.find((one) => one.name === systemId)?.encaps ?? [];
  if (encaps.some(({ type }) => type === 'vxlan'))
    throw conflict(
      `the tunnels of ${name} are VXLAN themselves (overlay.encapType)`,
      `${instead}; or set overlay.encapType: geneve`,
    );
  if (encaps.length > 0 && encaps.every((one) => isIpv6(one.address)))
    throw conflict(`the tunnels of ${name} have no IPv4 address, and ${address} is reached over IPv4`, instead);
}

function refuseAddress(address: string, subnet: string, { layout, members, chassis }: VtepFacts): void {
  const hint = 'write the address at which the appliance receives VXLAN packets from the nodes';
  if (!isHost(address)) throw conflict(`${address} is not an address of a host`, hint);
  const inside = [...layout.clusterSubnets, ...layout.serviceSubnets, ...layout.joinSubnets, subnet];
  const range = inside.find((one) => isIpv6(one) === isIpv6(address) && isWithin(address, one));
  if (range !== undefined) throw conflict(`${address} is within ${range}, to which only VXLAN packets lead`, hint);
  const holder = members.find((node) => {
    const encaps = chassis.find((one) => one.name === node.systemId)?.encaps ?? [];
    return [...nodeAddresses(node), ...encaps.map((one) => one.address)].includes(address);
  });
  if (holder !== undefined)
    throw conflict(`${address} is an address of ${holder.name}, which is a node of this cluster`, hint);
}

/** Returns the error for a peer that the cluster cannot have. */
export function conflict(message: string, hint: string): AgentError {
  return new AgentError('overlay-conflict', message, { hint });
}
