import type { OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { Labels } from '../../model/workload.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { parseRange } from '../../net/address-range.ts';
import { isIpv6, macOf, sameFamily, subnetOf, withoutLength } from '../../overlay/addresses.ts';
import { routerAddresses } from '../../overlay/cluster/node-rows.ts';

/** Annotations of a pod that concern its network. */
export const annotationNames = {
  /** Interface of the pod in the format of ovn-kubernetes. The CNI plug-in reads this annotation. */
  podNetworks: 'k8s.ovn.org/pod-networks',
  /** Interface of the pod in the format of ovn-kubernetes of 2017. */
  first: 'ovn',
  /**
   * Uid of the pod for which the two annotations with an interface were written. If they were copied from another pod,
   * the uid is that of the other pod.
   */
  of: 'microshift-net/address-of',
  /** Addresses that the user requests for the pod, separated by commas and without prefix length. */
  requested: 'microshift-net/ip-address',
} as const;

/** Network interface of a pod. */
export interface PodNetwork {
  /** Addresses with their prefix length, IPv4 first: `10.42.1.3/24`. */
  readonly addresses: readonly string[];
  readonly mac: string;
  /** Next hops of the default routes, at most one of each family. */
  readonly gateways: readonly string[];
  readonly routes: readonly PodRoute[];
}

export interface PodRoute {
  readonly destination: string;
  readonly nextHop: string;
}

/**
 * Returns the annotations that describe the interface of the pod with this uid, in the formats of present
 * ovn-kubernetes and of ovn-kubernetes of 2017, whose pods had one address. Fields, order and spaces are those of
 * ovn-kubernetes. `addresses` are the addresses of the pod with their prefix lengths, IPv4 first.
 */
export function wantedAnnotations(
  addresses: readonly string[],
  node: Pick<OverlayNode, 'subnets'>,
  layout: Pick<OverlayLayout, 'clusterSubnets' | 'serviceSubnets' | 'joinSubnets'>,
  uid: string,
): Readonly<Record<string, string>> {
  const [address = '', ...more] = addresses;
  const mac = macOf(withoutLength(address));
  const routers = routerAddresses(node).map(withoutLength);
  const gateways = addresses.flatMap((one) => sameFamily(routers, one) ?? []);
  const [gateway = ''] = gateways;
  // A range of the cluster gets no route if the pod's node has the whole range. The connected route of the pod's own
  // address has this destination already, and the kernel refuses a second route.
  const own = addresses.map(subnetOf);
  const destinations = [...layout.clusterSubnets, ...layout.serviceSubnets, ...layout.joinSubnets].filter(
    (dest) => !own.includes(dest),
  );
  const routes = gateways.flatMap((nextHop) =>
    destinations.filter((dest) => isIpv6(dest) === isIpv6(nextHop)).map((dest) => ({ dest, nextHop })),
  );
  const network = {
    ip_addresses: addresses,
    mac_address: mac,
    gateway_ips: gateways,
    routes,
    ...(more.length === 0 ? { ip_address: address, gateway_ip: gateway } : {}),
    role: 'primary',
  };
  return {
    [annotationNames.podNetworks]: JSON.stringify({ default: network }),
    [annotationNames.first]: `{"gateway_ip": "${gateway}", "ip_address": "${address}", "mac_address": "${mac}"}`,
    [annotationNames.of]: uid,
  };
}

/**
 * Returns the interface that was assigned to this pod; null if no interface was assigned, or if the annotations were
 * copied from another pod.
 */
export function ownNetwork({
  uid,
  annotations,
}: {
  readonly uid: string;
  readonly annotations: Labels;
}): PodNetwork | null {
  return annotations[annotationNames.of] === uid ? annotatedNetwork(annotations) : null;
}

/**
 * Returns the interface that annotations describe, in either format and for any pod; null if the annotations describe
 * no interface or are malformed.
 */
export function annotatedNetwork(annotations: Labels): PodNetwork | null {
  return networkFrom(podNetworksIn(annotations)) ?? networkFrom(pairsIn(annotations[annotationNames.first] ?? ''));
}

/**
 * Returns the addresses that a pod requests, without prefix length; empty if it requests none. A malformed address is
 * returned unchanged.
 */
export function requestedAddresses(annotations: Labels): readonly string[] {
  const words = (annotations[annotationNames.requested] ?? '').split(',').map((word) => word.trim());
  return words.filter((word) => word !== '').map((word) => (familyOf(word) === null ? word : canonicalAddress(word)));
}

/**
 * Fields of an annotation that describes a pod's interface, in either format of ovn-kubernetes. Releases before dual
 * stack write one address and one gateway.
 */
interface NetworkFields {
  readonly ip_addresses?: unknown;
  readonly ip_address?: unknown;
  readonly mac_address?: unknown;
  readonly gateway_ips?: unknown;
  readonly gateway_ip?: unknown;
  readonly routes?: unknown;
}

function networkFrom(fields: NetworkFields | null): PodNetwork | null {
  if (fields === null) return null;
  const addresses = textsIn(fields.ip_addresses ?? [fields.ip_address]).map(canonicalInterface);
  const gateways = textsIn(fields.gateway_ips ?? [fields.gateway_ip]).filter((text) => familyOf(text) !== null);
  const mac = typeof fields.mac_address === 'string' ? fields.mac_address.toLowerCase() : '';
  const families = new Set(addresses.map((address) => address !== null && isIpv6(address)));
  const areAddresses = addresses.length > 0 && families.size === addresses.length && !addresses.includes(null);
  if (!areAddresses || !/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(mac)) return null;
  const ordered = (addresses as string[]).toSorted((a, b) => Number(isIpv6(a)) - Number(isIpv6(b)));
  return { addresses: ordered, mac, gateways: gateways.map(canonicalAddress), routes: routesIn(fields.routes) };
}

/** Returns an address such as `10.42.1.3/24` in canonical form; null if the text is not an address. */
function canonicalInterface(text: string): string | null {
  const [address = ''] = text.split('/');
  return parseRange(text) === null ? null : `${canonicalAddress(address)}${text.slice(address.length)}`;
}

function routesIn(routes: unknown): readonly PodRoute[] {
  return (Array.isArray(routes) ? routes : []).flatMap((route: { dest?: unknown; nextHop?: unknown } | null) => {
    const { dest = '', nextHop = '' } = route ?? {};
    if (typeof dest !== 'string' || typeof nextHop !== 'string') return [];
    return parseRange(dest) === null || familyOf(nextHop) === null ? [] : [{ destination: dest, nextHop }];
  });
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((entry) => typeof entry === 'string') : [];
}

function podNetworksIn(annotations: Labels): NetworkFields | null {
  try {
    const networks: unknown = JSON.parse(annotations[annotationNames.podNetworks] ?? 'null');
    const network = (networks as { readonly default?: unknown } | null)?.default;
    return typeof network === 'object' ? network : null;
  } catch {
    return null;
  }
}

/**
 * Parses an object with text values, written as JSON or, until September 2017, as a dictionary of Python:
 * `{u'ip_address': u'192.168.2.3/24'}`. Returns null for other text.
 */
function pairsIn(text: string): NetworkFields | null {
  const pair = String.raw`\s*u?(?:"[\w.:/]*"|'[\w.:/]*')\s*:\s*u?(?:"[\w.:/]*"|'[\w.:/]*')\s*`;
  if (!new RegExp(`^\\s*\\{${pair}(?:,${pair})*\\}\\s*$`).test(text)) return null;
  const words = [...text.matchAll(/["']([\w.:/]*)["']/g)].map(([, word = '']) => word);
  return Object.fromEntries(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1]]] : [])));
}
