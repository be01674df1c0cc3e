import { addressesOfHost } from '../../../drivers/host/kernel/host-addresses.ts';
import { readLinks } from '../../../drivers/host/kernel/links.ts';
import { readListeners } from '../../../drivers/host/kernel/listening-sockets.ts';
import { kubeconfigPath, readAccess } from '../../../drivers/kubernetes/kubeconfig.ts';
import { isAgentError } from '../../../errors.ts';
import { addressesOf, type Link } from '../../../model/observation.ts';
import type { Listener, OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import { masqueradeSubnets } from '../../../model/ovn-kubernetes-addresses.ts';
import type { InboundService, ServicePlace } from '../../../model/shared-bridge.ts';
import { canonicalAddress, familyOf } from '../../../net/address.ts';
import { withoutLength } from '../../../overlay/addresses.ts';
import { furtherAddresses } from '../../../overlay/members/announced-addresses.ts';
import { hostCidrsOf } from '../../../overlay/members/announced-ranges.ts';
import { isForServices } from '../../../overlay/node-ports.ts';
import { type OwnPlaces, servedBeside } from '../../../overlay/services/own-places.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Returns this node with its further addresses, listening sockets, host addresses and outside clients. When the central
 * node decides which services are served at the further addresses, it treats these addresses as the node's own. It
 * permits no service at the address and port of a listening socket. It publishes the host addresses on the Node, and
 * uses the outside clients for the routes that `overlay routes` prints.
 */
export function withWhatItHas(
  node: OverlayNode,
  layout: OverlayLayout,
  places: Pick<OverlayPlaces, 'exposure' | 'outsideClients'>,
  links: readonly Link[] = readLinks(),
): OverlayNode {
  const { outsideClients } = places;
  return {
    ...node,
    furtherAddresses: furtherAddressesNow(node, layout, links),
    hostCidrs: hostCidrsNow(node, layout, links),
    ...(outsideClients.length > 0 && { outsideClients }),
    listeners: listenersBesideServices(places),
  };
}

/**
 * Returns the addresses of this node's interfaces at which services could be served, without those in its record and
 * those of the cluster.
 */
export function furtherAddressesNow(
  node: Pick<OverlayNode, 'hostAddresses' | 'encap' | 'gateway'>,
  layout: OverlayLayout,
  links: readonly Link[] = readLinks(),
): readonly string[] {
  return furtherAddresses(interfaceAddresses(links), node, rangesOfCluster(layout));
}

/**
 * Returns the global addresses of this node's interfaces with their prefix lengths. Leaves out temporary addresses (RFC
 * 8981), addresses of the cluster, and the addresses of a gateway with a NIC of its own.
 */
export function hostCidrsNow(
  { gateway }: Pick<OverlayNode, 'gateway'>,
  layout: OverlayLayout,
  links: readonly Link[] = readLinks(),
): readonly string[] {
  const taken = gateway?.kind === 'dedicated' ? gateway.addresses.map(withoutLength) : [];
  const lasting = links.flatMap((link) =>
    addressesOf(link, ({ scope, temporary }) => scope === 'global' && !temporary),
  );
  return hostCidrsOf(lasting, rangesOfCluster(layout)).filter((cidr) => !taken.includes(withoutLength(cidr)));
}

function rangesOfCluster({ clusterSubnets, serviceSubnets, joinSubnets }: OverlayLayout): readonly string[] {
  return [...clusterSubnets, ...serviceSubnets, ...joinSubnets, ...Object.values(masqueradeSubnets)];
}

function interfaceAddresses(links: readonly Link[]): readonly string[] {
  return links.flatMap(({ addresses }) => addresses.map(({ address }) => canonicalAddress(address)));
}

/** Reads the facts by which this node decides at which addresses and ports services may be served on it. */
export async function readOwnPlaces(places: Pick<OverlayPlaces, 'exposure' | 'kubeconfig'>): Promise<OwnPlaces> {
  return {
    addresses: interfaceAddresses(readLinks()),
    listeners: readListeners(),
    ports: places.exposure.nodePorts,
    apiServers: await apiServers(places),
  };
}

/** Returns the listening sockets of this node at ports that services could use, sorted and without duplicates. */
export function listenersBesideServices({ exposure }: Pick<OverlayPlaces, 'exposure'>): readonly Listener[] {
  const found = readListeners().filter(({ protocol, port }) => isForServices(exposure.nodePorts, protocol, port));
  const texts = new Map(found.map((one) => [`${one.protocol} ${one.port} ${one.address ?? ''}`, one]));
  return [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** Returns the services that can be served at their addresses and ports on this node at present. */
export async function servedHere(
  services: readonly InboundService[],
  places: Pick<OverlayPlaces, 'exposure' | 'kubeconfig'>,
): Promise<readonly InboundService[]> {
  return services.length === 0 ? [] : servedBeside(services, await readOwnPlaces(places));
}

/** Returns the addresses and ports at which the daemon reaches the API server. */
async function apiServers({ kubeconfig }: Pick<OverlayPlaces, 'kubeconfig'>): Promise<readonly ServicePlace[]> {
  try {
    const { server } = await readAccess(kubeconfigPath(kubeconfig, process.env));
    const host = server.hostname.replace(/^\[(.*)\]$/, '$1');
    const addresses = familyOf(host) === null ? await addressesOfHost(host) : [host];
    const port = Number(server.port || '443');
    return addresses.map((address) => ({ address: canonicalAddress(address), port }));
  } catch (error) {
    // A node without a kubeconfig uses no API server, so services need not leave any address free for it.
    if (isAgentError(error)) return [];
    throw error;
  }
}
