import { AgentError } from '../../errors.ts';
import type { Link, Route } from '../../model/observation.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { GatewayRequest, OverlayRecord } from '../../model/overlay-record.ts';
import { isDefault } from '../../net/destination.ts';
import { isIpv6, isWithin, macOf, sameFamily, withoutLength } from '../addresses.ts';
import { addressesFault, nextHopsFault, subnetFault } from '../members/announcement.ts';

/** Links and routes of this node's kernel. */
export interface KernelFacts {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
}

/** Longest name of a Linux interface, in characters (IFNAMSIZ without its final zero). */
const longestName = 15;

/**
 * Returns the name of the bridge for a NIC. A long NIC name is cut at its beginning, because the names of the ports of
 * one card differ at their end.
 */
export function bridgeFor(nic: string): string {
  const prefix = 'br-gw';
  return `${prefix}${nic.slice(-(longestName - prefix.length))}`;
}

/**
 * Returns the name of a bridge's physical network in ovn-bridge-mappings; for br-ex, the name that ovn-kubernetes uses.
 */
export function networkOf({ bridge, interface: nic }: Pick<GatewayRequest, 'bridge' | 'interface'>): string {
  return bridge === 'br-ex' ? 'physnet' : `physnet-${nic ?? bridge}`;
}

/**
 * Returns the gateway that a request describes in the node's present state. Refuses a gateway without a next hop, and a
 * gateway whose addresses or subnets are used by the cluster or the node.
 */
export function chooseGateway(
  request: GatewayRequest,
  layout: OverlayLayout,
  node: Pick<OverlayNode, 'encap'>,
  { links, routes }: KernelFacts,
): OverlayGateway {
  const { bridge, interface: nic, vlan, subnets, isVip } = request;
  const link = links.find(({ name }) => name === (nic ?? bridge));
  if (link === undefined) throw missing(nic ?? bridge, nic, links);
  const nextHops = request.nextHops === 'auto' ? defaultHops(bridge, layout, routes) : request.nextHops;
  const addresses =
    request.addresses === 'auto'
      ? nextHops.flatMap((hop) => addressBeside(hop, link, node.encap.addresses) ?? [])
      : request.addresses;
  const own = new Set(link.addresses.map(({ address }) => address));
  const shared = nic === null ? addresses.filter((address) => own.has(withoutLength(address))) : [];
  const kind = shared.length > 0 ? 'shared' : 'dedicated';
  const fault =
    (nextHops.length === 0 ? `nothing leads further from ${link.name}: it has no default route` : null) ??
    (shared.length > 0 && shared.length < addresses.length
      ? `${bridge} has ${shared.join(', ')} itself, and not the other address`
      : null) ??
    (shared.length > 0 && vlan !== null ? `${shared.join(', ')} of ${bridge} is not in VLAN ${vlan}` : null) ??
    (kind === 'shared' && isVip === true ? `${shared.join(', ')} is this node's own and cannot move` : null) ??
    addressesFault(addresses, layout) ??
    nextHopsFault(nextHops, addresses) ??
    subnets.map((subnet) => subnetFault(subnet, layout)).find((one) => one !== null);
  if (fault !== null && fault !== undefined) throw unusable(fault);
  return {
    bridge,
    kind,
    interface: nic,
    physicalNetwork: networkOf(request),
    // An address that the bridge itself does not have needs a MAC of its own. So does an address that moves between
    // nodes, because it keeps its MAC.
    mac: isVip === true || (nic === null && kind === 'dedicated') ? macOf(withoutLength(addresses[0] ?? '')) : link.mac,
    addresses,
    nextHops,
    vlan,
    subnets,
    ...(isVip === true && { isVip }),
    isUp: true,
  };
}

/**
 * Returns the record with the gateway that its request describes now. Without the bridge or NIC, the node has no
 * gateway. While the bridge or NIC has no address, for example between two leases, the last gateway stays.
 */
export function recordNow(record: OverlayRecord, kernel: KernelFacts): OverlayRecord {
  const { gateway: request, layout, node } = record;
  if (request === undefined) return record;
  if (!kernel.links.some(({ name }) => name === (request.interface ?? request.bridge)))
    return { ...record, node: { ...node, gateway: null } };
  try {
    return { ...record, node: { ...node, gateway: chooseGateway(request, layout, node, kernel) } };
  } catch (error) {
    if (error instanceof AgentError && error.kind !== 'internal') return record;
    throw error;
  }
}

/** Returns the next hops of the node's default routes over a bridge, for each family of the cluster. */
function defaultHops(bridge: string, { clusterSubnets }: OverlayLayout, routes: readonly Route[]): readonly string[] {
  return clusterSubnets.flatMap((subnet) => {
    const [best] = routes
      .filter(({ device, destination, gateway }) => device === bridge && isDefault(destination) && gateway !== null)
      .filter(({ destination }) => isIpv6(destination) === isIpv6(subnet))
      .toSorted((a, b) => a.metric - b.metric);
    return best?.gateway ?? [];
  });
}

/**
 * Returns the address with which a link reaches a next hop: an address in the subnet of the next hop, or else any
 * address of the same family. If there are several, the address at which the node's tunnels end is preferred.
 */
function addressBeside(hop: string, { addresses }: Link, encap: readonly string[]): string | null {
  const usable = addresses.filter(
    ({ address, scope, temporary, tentative, dadFailed }) =>
      isIpv6(address) === isIpv6(hop) && scope === 'global' && !temporary && !tentative && !dadFailed,
  );
  const texts = usable.map(({ address, prefixLength }) => `${address}/${prefixLength}`);
  const beside = texts.filter((text) => isWithin(hop, text));
  const known = (list: readonly string[]): string | undefined =>
    list.find((text) => encap.includes(withoutLength(text)));
  return known(beside) ?? beside[0] ?? known(texts) ?? sameFamily(texts, hop);
}

function missing(name: string, nic: string | null, links: readonly Link[]): AgentError {
  if (nic !== null) {
    return new AgentError('interface-not-found', `the interface ${nic} does not exist`, {
      hint: `write one of: ${links.map((link) => link.name).join(', ')}`,
    });
  }
  return new AgentError('overlay-conflict', `the bridge ${name} of the gateway does not exist`, {
    hint: name === 'br-ex' ? 'microshift-net apply makes br-ex' : 'write the name of a bridge of Open vSwitch',
    facts: { bridge: name },
  });
}

function unusable(fault: string): AgentError {
  return new AgentError('overlay-conflict', `this node cannot be a gateway: ${fault}`, {
    hint: 'say it with --address IP/LENGTH and --next-hop IP',
    facts: { fault },
  });
}
