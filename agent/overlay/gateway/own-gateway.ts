import { AgentError } from '../../errors.ts';
import type { Link, Route } from '../../model/observation.ts';
import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { GatewayRequest, OverlayRecord } from '../../model/overlay-record.ts';
import { isDefault } from '../../net/destination.ts';
import { isIpv6, isWithin, macOf, sameFamily, withoutLength } from '../addresses.ts';
import { addressesFault, nextHopsFault, subnetFault } from '../members/announcement.ts';
import { missingNic } from './nic-errors.ts';

/** Links and routes of this node's kernel. */
export interface KernelFacts {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
}

/** Longest name of a Linux interface, in characters (IFNAMSIZ without its final zero). */
const longestName = 15;

/**
 * Returns the name of the bridge for a NIC. A long NIC name loses its first characters, because the names of the ports
 * of one card differ in their last characters.
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
 * Returns the gateway that results from a request and the node's present state. Fails with `interface-not-found` if the
 * NIC does not exist. Fails with `overlay-conflict` for one of these reasons: the bridge does not exist; the gateway
 * has no address or no next hop; an address, next hop or subnet of the gateway is not valid in the cluster; only some
 * of the gateway's addresses are those of the bridge; a VIP or an address in a VLAN is the bridge's own.
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
  const refuse = (fault: string | null | false, hint: string): void => {
    if (fault !== null && fault !== false) throw unusable(fault, hint);
  };
  refuse(nextHops.length === 0 && `nothing leads further from ${link.name}: it has no default route`, routerHint);
  if (shared.length > 0) {
    const these = shared.join(', ');
    refuse(
      shared.length < addresses.length && `${bridge} has ${these} itself, and not the other address`,
      `write with --address either addresses of ${bridge}, or other ones`,
    );
    refuse(vlan !== null && `${these} of ${bridge} is not in VLAN ${vlan}`, `omit --vlan, or ${addressHint}`);
    refuse(isVip === true && `${these} is this node's own and cannot move`, `${addressHint}, the same on each gateway`);
  }
  refuse(addressesFault(addresses, layout), addressHint);
  refuse(
    nextHopsFault(nextHops, addresses),
    'write a router of the LAN with --next-hop IP, in the family of --address',
  );
  for (const subnet of subnets)
    refuse(
      subnetFault(subnet, layout),
      `write with --subnets subnets of pods, which are in ${layout.clusterSubnets.join(' and ')}`,
    );
  return {
    bridge,
    kind,
    interface: nic,
    physicalNetwork: networkOf(request),
    // An address that the bridge itself does not have needs a MAC of its own. So does an address that moves between
    // nodes, because its MAC moves with it.
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
 * Returns the node's record with the present state of the gateway that the administrator has requested. If the bridge
 * or NIC does not exist, the record has no gateway. If the present state does not permit the gateway, for example
 * because the bridge has no address between two leases, the record stays unchanged.
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

/**
 * Returns the next hop of the node's default route with the lowest metric over a bridge, for each family of the cluster
 * that has such a route.
 */
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
 * address of the same family. If there are several, the address at which the node's tunnels end is preferred. Null if
 * the link has no usable address of this family.
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
  if (nic !== null) return missingNic(nic, links, () => true);
  return new AgentError('overlay-conflict', `the bridge ${name} of the gateway does not exist`, {
    hint: name === 'br-ex' ? 'microshift-net apply makes br-ex' : 'write the name of a bridge of Open vSwitch',
    facts: { bridge: name },
  });
}

const addressHint = 'write another address of the LAN with --address IP/LENGTH';
const routerHint = 'write the router of its LAN with --next-hop IP, and its address with --address IP/LENGTH';

function unusable(fault: string, hint: string): AgentError {
  return new AgentError('overlay-conflict', `this node cannot be a gateway: ${fault}`, { hint, facts: { fault } });
}
