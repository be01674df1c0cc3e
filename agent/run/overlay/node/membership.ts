import { type NamedRange, overlayRanges, rangeConflicts, reservedRanges } from '../../../config/overlay-ranges.ts';
import { geneveOverheadBytes, minIpv4MtuBytes, minIpv6MtuBytes } from '../../../config/warnings.ts';
import { AgentError } from '../../../errors.ts';
import type { HostFacts } from '../../../facts/overlay-host.ts';
import { type Config, microshiftRenders } from '../../../model/config.ts';
import type { EncapType, OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import { parseRange } from '../../../net/address-range.ts';
import { isDefault } from '../../../net/destination.ts';
import { globalAddresses, withoutLength } from '../../../overlay/addresses.ts';
import { assignNode } from '../../../overlay/members/registry.ts';
import { isNodeName } from '../record/name-forms.ts';

/** Value of the key `owner` in external_ids of the agent's rows. */
export const overlayOwner = 'microshift-net';
/** Name and addresses of this host in the cluster. */
export interface HostIdentity {
  readonly name: string;
  readonly encap: OverlayNode['encap'];
  readonly hostAddresses: readonly string[];
  /** MTU of the link that carries the tunnels. */
  readonly linkMtu: number;
}

/**
 * Fails with `overlay-foreign` if MicroShift runs ovn-kubernetes on this node, because one ovn-controller cannot serve
 * both networks.
 */
export function refuseMicroshift({ cluster }: Pick<Config, 'cluster'>, { hasMicroshift }: HostFacts): void {
  if (hasMicroshift !== true || !microshiftRenders({ cluster })) return;
  const { value, source } = cluster.cniPlugin;
  const by = source === 'default' ? 'is not set' : `is ${value} (${source})`;
  throw new AgentError('overlay-foreign', `network.cniPlugin ${by}, so MicroShift runs ovn-kubernetes on this node`, {
    hint: 'set network.cniPlugin: none in /etc/microshift/config.yaml and restart MicroShift, or leave the network to it',
    facts: { source },
  });
}

/**
 * Fails with `overlay-conflict` if the node's name differs from the one that the kubelet uses, because the pods of this
 * node would then belong to another node. `kubeletName` is null before the kubelet has a name.
 */
export function refuseOtherName({ name }: HostIdentity, kubeletName: string | null): void {
  if (kubeletName === null || kubeletName === name) return;
  throw new AgentError('overlay-conflict', `this node is ${name} here, and ${kubeletName} for its kubelet`, {
    hint: `set overlay.nodeName: ${kubeletName} in ovn.yaml`,
    facts: { name, kubelet: kubeletName },
  });
}

/**
 * Returns the name and the address of this host from the configuration. Without a configured name, the name is the
 * hostname. Without a configured address, the result has the address on the link of the default route. Fails with
 * `overlay-conflict` if the name cannot be that of a node, if this host does not have the configured address, or if no
 * address is configured and no link of a default route has one.
 */
export function identify({ overlay }: Pick<Config, 'overlay'>, facts: HostFacts): HostIdentity {
  const name = overlay.nodeName.value ?? facts.hostname.toLowerCase();
  if (!isNodeName(name)) {
    throw refused(
      `"${name}" cannot be the name of a node`,
      'set overlay.nodeName in ovn.yaml to the name of the kubelet',
    );
  }
  const wanted = overlay.encapAddress.value === 'auto' ? defaultAddress(facts) : overlay.encapAddress.value;
  if (wanted === null) {
    const hint = 'set overlay.encapAddress in ovn.yaml to an address at which the other nodes reach this one';
    throw refused('this node has no default route, so its address for the other nodes is not known', hint);
  }
  const link = facts.links.find(({ addresses }) => addresses.some(({ address }) => address === wanted));
  if (link === undefined) {
    throw refused(
      `overlay.encapAddress ${wanted} (${overlay.encapAddress.source}) is not an address of this node`,
      `write one of: ${facts.links.flatMap(globalAddresses).map(withoutLength).join(', ') || 'none is there'}`,
    );
  }
  const types: readonly EncapType[] = [overlay.encapType.value];
  return { name, encap: { types, addresses: [wanted] }, hostAddresses: [wanted], linkMtu: link.mtuBytes };
}

/**
 * Returns the host's address on the link of the default route; IPv4 is preferred to IPv6, and a lower metric to a
 * higher one. Null if no default route leads over a link that has a global address of the route's family.
 */
function defaultAddress({ links, routes }: HostFacts): string | null {
  const defaults = routes
    .filter(({ destination }) => isDefault(destination))
    .toSorted((a, b) => a.family - b.family || a.metric - b.metric);
  for (const { device, family } of defaults) {
    const link = links.find(({ name }) => name === device);
    const found = link?.addresses.find((one) => one.family === family && one.scope === 'global' && !one.temporary);
    if (found !== undefined) return found.address;
  }
  return null;
}

/**
 * Returns the layout of a new cluster. Fails with `overlay-conflict` if the cluster's ranges overlap with each other or
 * with reserved ranges, or if the MTU is unsuitable.
 */
export function newLayout(config: Config, host: HostIdentity): OverlayLayout {
  const { pods, services, join } = overlayRanges(config);
  refuseConflicts(rangeConflicts([...pods, ...services, ...join], reservedRanges()), changeRanges);
  const texts = (ranges: readonly NamedRange[]): string[] => ranges.map(({ range }) => range.text);
  return {
    naming: 'modern',
    clusterSubnets: texts(pods),
    serviceSubnets: texts(services),
    joinSubnets: texts(join),
    mtu: overlayMtu(
      config,
      host,
      pods.some(({ range }) => range.family === 6),
    ),
    owner: overlayOwner,
  };
}

const changeRanges =
  'set overlay.clusterSubnet, overlay.serviceSubnet and overlay.joinSubnet in ovn.yaml of the central node to unused ranges';

/**
 * Fails with `overlay-conflict` if ranges of the cluster overlap with networks to which this host is connected or has
 * routes. `ownDevices` are the interfaces of the overlay itself.
 */
export function refuseHostRanges(layout: OverlayLayout, facts: HostFacts, ownDevices: readonly string[]): void {
  const wanted = [
    ...namedRanges("the cluster's subnet", 'overlay', layout.clusterSubnets),
    ...namedRanges('the range of services', 'overlay', layout.serviceSubnets),
    ...namedRanges('the join network', 'overlay', layout.joinSubnets),
  ];
  const others = hostRanges(facts, ownDevices);
  refuseConflicts(
    wanted.flatMap((one) => rangeConflicts([one], others)),
    changeRanges,
  );
}

function refuseConflicts(conflicts: readonly string[], hint: string): void {
  const [first] = conflicts;
  if (first !== undefined) throw new AgentError('overlay-conflict', first, { hint, facts: { conflicts } });
}

function namedRanges(name: string, source: string, texts: readonly string[]): NamedRange[] {
  return texts.flatMap((text) => {
    const range = parseRange(text);
    return range === null || range.prefixLength === 0 ? [] : [{ name, source, range }];
  });
}

/** Returns the networks that this host is connected to or has routes to, without those of its overlay. */
function hostRanges({ links, routes }: HostFacts, ownDevices: readonly string[]): NamedRange[] {
  const ofLinks = links
    .filter(({ name }) => !ownDevices.includes(name))
    .flatMap((link) => namedRanges('an address of this node', link.name, globalAddresses(link)));
  const ofRoutes = routes
    .filter(({ device }) => !ownDevices.includes(device))
    .flatMap(({ destination, device }) => namedRanges('a route of this node', device, [destination]));
  return [...ofLinks, ...ofRoutes];
}

/** Returns the largest MTU of packets inside this node's tunnels, in bytes. */
export function largestMtu({ encap, linkMtu }: Pick<HostIdentity, 'encap' | 'linkMtu'>): number {
  return linkMtu - overheadOf(encap);
}

/**
 * Returns the MTU, in bytes, that pods have if none of their packets is in a tunnel. The uplink of every node carries
 * packets of this size, because `overlay join` refuses an uplink that cannot carry a packet of the cluster's MTU in a
 * tunnel.
 */
export function fullMtu({ mtu }: Pick<OverlayLayout, 'mtu'>, { encap }: Pick<OverlayNode, 'encap'>): number {
  return mtu + overheadOf(encap);
}

function overheadOf({ addresses }: OverlayNode['encap']): number {
  return geneveOverheadBytes[addresses.some((address) => address.includes(':')) ? 'ipv6' : 'ipv4'];
}

/**
 * Returns the MTU of packets inside the tunnels: the value of ovn.yaml, otherwise the largest MTU that the uplink
 * allows. Fails with `overlay-conflict` if the value does not fit into the tunnels, or is too small for IP.
 */
function overlayMtu({ mtu }: Config, identity: HostIdentity, hasIpv6: boolean): number {
  const largest = largestMtu(identity);
  if (mtu.source === 'default' || mtu.value === 'auto') return largest;
  const [smallest, reason] = hasIpv6
    ? [minIpv6MtuBytes, 'the smallest MTU that IPv6 allows']
    : [minIpv4MtuBytes, 'the size of a packet that every IPv4 host can send and receive'];
  if (mtu.value < smallest) {
    throw refused(
      `mtu ${mtu.value} (${mtu.source}) is below ${smallest}, ${reason}`,
      `write mtu: ${largest}, or remove the line`,
    );
  }
  if (mtu.value <= largest) return mtu.value;
  throw refused(
    `mtu ${mtu.value} (${mtu.source}) does not fit into tunnels over an uplink with MTU ${identity.linkMtu}`,
    `write mtu: ${largest}, or remove the line`,
  );
}

/** Assigns a number and subnets to a new member. */
export function assigned(layout: OverlayLayout, members: readonly OverlayNode[], name: string) {
  const registered = members.map((one) => ({
    name: one.name,
    id: one.id,
    systemId: one.systemId,
    subnets: one.subnets,
    gateway: null,
  }));
  return assignNode(layout, registered, name);
}

function refused(message: string, hint: string): AgentError {
  return new AgentError('overlay-conflict', message, { hint });
}
