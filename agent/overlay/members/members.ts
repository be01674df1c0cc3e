import type { OverlayChassis, OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import { withoutLength } from '../addresses.ts';
import { announcedAddresses } from './announced-addresses.ts';
import { announcedDirect } from './announced-direct.ts';
import { announcedListeners } from './announced-listeners.ts';
import { announcedRanges } from './announced-ranges.ts';
import { announcedGateway } from './announcement.ts';
import { believedClaims } from './claims.ts';
import { grantCommand, ungranted } from './grants.ts';

/** Members of a cluster with their present gateways. */
export interface MembersNow {
  readonly nodes: readonly OverlayNode[];
  readonly trace: readonly string[];
  /**
   * Sentences about claims that are not covered by a certificate or grant, and about gateways that cannot be used for
   * other reasons.
   */
  readonly faults: readonly string[];
  /** Sentences about registered chassis that are not members. Their registrations have no effect. */
  readonly strangers: readonly string[];
}

/**
 * Returns the members with the gateways, listeners, addresses and outside clients that their chassis announce. A
 * gateway counts only if the central node accepts it (agent/overlay/members/grants.ts). The gateway of the central node
 * `own` is known without an announcement. A member whose chassis is not registered is not a gateway, and neither is a
 * member that announces an address at which another node's tunnels end. If two members announce the same gateway
 * address, only the first of the two is a gateway, unless the address is a VIP. The announcements about direct routes
 * count only if `hasDirectRoutes` is true.
 */
export function membersNow(
  layout: OverlayLayout,
  own: OverlayNode,
  members: readonly OverlayNode[],
  chassis: readonly OverlayChassis[],
  hasDirectRoutes = false,
): MembersNow {
  const { tunnelAddresses, faults: lies, strangers } = believedClaims(own, members, chassis);
  const trace: string[] = [];
  const faults = [...lies];
  const taken = new Map((own.gateway?.addresses ?? []).map((address) => [withoutLength(address), holder(own)]));
  for (const { name, systemId } of members)
    for (const address of tunnelAddresses.get(systemId) ?? []) taken.set(address, name);
  const nodes = members.map((recorded): OverlayNode => {
    const found = chassis.find(({ name }) => name === recorded.systemId);
    const direct = found === undefined || !hasDirectRoutes ? {} : announcedDirect(found);
    if (recorded.name === own.name) return { ...withShared(own), ...direct };
    const listeners = found === undefined ? [] : announcedListeners(found);
    const furtherAddresses = found === undefined ? [] : announcedAddresses(found);
    const member = {
      ...recorded,
      ...(listeners.length > 0 && { listeners }),
      ...(furtherAddresses.length > 0 && { furtherAddresses }),
      ...(found !== undefined && announcedRanges(found)),
      ...direct,
    };
    const announced = found === undefined ? null : announcedGateway(found, layout);
    if (announced === null) return { ...member, gateway: null };
    const fault =
      'fault' in announced
        ? announced.fault
        : (takenAddress({ ...member, gateway: announced.gateway }, taken) ??
          grantFault(member, announced.gateway, tunnelAddresses.get(member.systemId) ?? []));
    if ('fault' in announced || fault !== null) {
      trace.push(`gateway=${member.name} ignored: ${fault}`);
      faults.push(`certificate ${member.systemId} (${member.name}) announces a gateway that is not taken: ${fault}`);
      return { ...member, gateway: null };
    }
    const { gateway } = announced;
    for (const address of gateway.addresses) taken.set(withoutLength(address), holder({ ...member, gateway }));
    trace.push(`gateway=${member.name} ${gateway.addresses.join(' ')} on ${gateway.bridge}, as it announces it`);
    return withShared({ ...member, gateway });
  });
  return { nodes, trace, faults, strangers };
}

/**
 * Returns the reason why the central node rejects a gateway, with the command that permits it; null if it accepts the
 * gateway.
 */
function grantFault(member: OverlayNode, gateway: OverlayGateway, tunnelAddresses: readonly string[]): string | null {
  const missing = ungranted(member, gateway, tunnelAddresses);
  const command = grantCommand(member.name, missing);
  if (command === null) return null;
  return `${[...missing.addresses, ...missing.subnets].join(', ')} has not been granted: ${command}`;
}

/** Adds the addresses that a node shares with its gateway to the node's own addresses. */
function withShared(node: OverlayNode): OverlayNode {
  const shared = node.gateway?.kind === 'shared' ? node.gateway.addresses.map(withoutLength) : [];
  return { ...node, hostAddresses: [...new Set([...node.hostAddresses, ...shared])] };
}

/**
 * Returns the holder of a gateway's addresses, in words: the node, or all nodes that share the addresses and announce
 * the same next hops and VLAN.
 */
function holder({ name, gateway }: OverlayNode): string {
  if (gateway?.isVip !== true) return name;
  const { addresses, nextHops, vlan } = gateway;
  return `a gateway that several nodes are (${addresses.join(', ')} to ${nextHops.join(', ')}${vlan === null ? '' : `, VLAN ${vlan}`})`;
}

function takenAddress(node: OverlayNode, taken: ReadonlyMap<string, string>): string | null {
  const addresses = (node.gateway?.addresses ?? []).map(withoutLength);
  const address = addresses.find((one) => ![undefined, holder(node)].includes(taken.get(one)));
  return address === undefined ? null : `${taken.get(address)} has ${address} already`;
}
