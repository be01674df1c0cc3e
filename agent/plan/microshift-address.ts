import type { ClusterConfig } from '../model/config.ts';
import { gatewayBridge } from '../model/names.ts';
import { isLoopback, type Link, type LinkAddress, type Route } from '../model/observation.ts';
import { canonicalAddress, familyOf, isLinkLocal6 } from '../net/address.ts';
import { isDefault } from '../net/destination.ts';

/*
 * Model of how MicroShift finds the node's own addresses: openshift/microshift 8e16b12fda, pkg/util/net.go, and
 * ChooseHostInterface, which it calls (k8s.io/apimachinery, pkg/util/net/interface.go). MicroShift looks for the
 * addresses when it starts, and every 5 s afterwards. If it finds no address, or a different address than at its start,
 * it restarts itself (pkg/sysconfwatch/sysconfwatch_linux.go:119-147). It compares addresses as text, IPv6 in the form
 * of RFC 5952.
 */

/** The node as MicroShift sees it. Links have their addresses in the kernel's order, IPv4 before IPv6. */
export interface HostNetwork {
  readonly links: readonly Link[];
  readonly routes: readonly Route[];
  /**
   * True if the default route of model/signpost.ts exists, which precedes all other IPv6 default routes and whose
   * device has no address. Absent otherwise.
   */
  readonly signpost?: true;
}

/**
 * Addresses that MicroShift finds; null for an address that it does not find. MicroShift exits if it does not find an
 * address that it needs.
 */
export interface HostAddresses {
  readonly nodeIp: string | null;
  /** The node's IPv6 address, which MicroShift uses only if the cluster has both families. */
  readonly nodeIpv6: string | null;
}

/**
 * Returns the addresses that MicroShift finds for the node.
 *
 * 1. If node.nodeIP is set, the result is that address if rule 4 lists it, and otherwise none (GetHostIP,
 *    net.go:55-66). Rule 4 includes lo.
 * 2. If node.nodeIP is not set, rule 5 is tried first (net.go:68).
 * 3. If rule 5 finds no address, the result is the first address of rule 4 (net.go:72). MicroShift evaluates rules 2
 *    and 3 at every start, even if node.nodeIP is set (pkg/config/config.go:104), and does not start if they find no
 *    address.
 * 4. selectIPFromHostInterface (net.go:194-242) lists the interfaces by their index, up or down, **except br-ex**. For
 *    each interface it lists the addresses, IPv4 before IPv6. It leaves out 127.0.0.0/8 and ::1, but not link-local
 *    addresses.
 * 5. chooseHostInterfaceFromRoute (interface.go:105-178, 441-472) lists the routes to 0.0.0.0 in the kernel's order,
 *    then the routes to :: that have a next hop. It ignores prefix lengths, so that 0.0.0.0/1 counts as a route to
 *    0.0.0.0. IPv6 routes of every table count, in the order of the tables. For each route it takes the first global
 *    unicast address of the route's family on the route's device, if the device is up. Without such an address, it
 *    takes one of a loopback interface that is up, and otherwise continues with the next route.
 * 6. GetHostIPv6 (net.go:259-316) is used if the cluster network has both families. Since 4.19 the result is the first
 *    IPv6 address on any interface, including br-ex, except ::1. If node.nodeIPv6 is set, the result is that address if
 *    an interface has it. Up to 4.18 the device of the first IPv6 default route came first. (net.go:272 still looks for
 *    a route without destination, which netlink 1.3.1 never returns: route_linux.go:1508.) The kernel guarantees no
 *    order of IPv6 addresses, so without node.nodeIPv6 the result is one of several addresses. MicroShift's own
 *    result may also change whenever an address is added.
 */
export function microshiftAddresses(
  { nodeIp, nodeIpv6 }: Pick<ClusterConfig, 'nodeIp' | 'nodeIpv6'>,
  host: HostNetwork,
): HostAddresses {
  const wanted = nodeIp.value;
  return {
    nodeIp: wanted === null ? (byDefaultRoute(host) ?? besideBridge(host, null)) : besideBridge(host, wanted),
    nodeIpv6: anyIpv6(host, nodeIpv6.value),
  };
}

/** Returns the address that MicroShift finds by rule 4 of microshiftAddresses(): on the interfaces except br-ex. */
function besideBridge({ links }: HostNetwork, wanted: string | null): string | null {
  const others = byIndex(links).filter((link) => link.name !== gatewayBridge.bridge);
  const addresses = others.flatMap((link) => textsOf(link)).filter((address) => !isLoopbackAddress(address));
  return addresses.find((address) => wanted === null || address === wanted) ?? null;
}

/** Returns the address that MicroShift finds by rule 5 of microshiftAddresses(): by a route to 0.0.0.0 or ::. */
function byDefaultRoute({ links, routes, signpost }: HostNetwork): string | null {
  const first = (link: Link | undefined, family: 4 | 6): string | null =>
    (link?.up === true && textsOf(link).find((text) => familyOf(text) === family && isGlobalUnicast(text))) || null;
  const onLoopback = (family: 4 | 6): string | null =>
    links
      .filter(isLoopback)
      .map((link) => first(link, family))
      .find((text) => text !== null) ?? null;
  for (const family of [4, 6] as const) {
    if (family === 6 && signpost === true) {
      const found = onLoopback(6);
      if (found !== null) return found;
    }
    for (const { device, destination, gateway, ...route } of routes) {
      if (route.family !== family || !fromZero.test(destination) || (family === 6 && gateway === null)) continue;
      const own = first(
        links.find((link) => link.name === device),
        family,
      );
      const found = own ?? onLoopback(family);
      if (found !== null) return found;
    }
  }
  return null;
}

/**
 * Returns the IPv6 address that MicroShift 4.19 and later finds by rule 6 of microshiftAddresses(): on any interface.
 */
function anyIpv6({ links }: HostNetwork, wanted: string | null): string | null {
  const addresses = byIndex(links)
    .flatMap((link) => textsOf(link))
    .filter((address) => familyOf(address) === 6 && !isLoopbackAddress(address));
  return addresses.find((address) => wanted === null || address === wanted) ?? null;
}

/**
 * Returns the node's spelling of an address that the configuration spells differently: MicroShift compares text and
 * does not find the address. Null if the node has the address in the same spelling, or not at all.
 */
export function otherSpelling(address: string, { links }: HostNetwork): string | null {
  const canonical = canonicalAddress(address);
  const isThere = links.some((link) => textsOf(link).includes(canonical));
  return canonical !== address && isThere ? canonical : null;
}

const fromZero = /^(0\.0\.0\.0|::)\//;

function byIndex(links: readonly Link[]): readonly Link[] {
  return links.toSorted((a, b) => a.index - b.index);
}

function textsOf({ addresses }: Link): readonly string[] {
  const ofFamily = (family: 4 | 6): readonly LinkAddress[] => addresses.filter((entry) => entry.family === family);
  return [...ofFamily(4), ...ofFamily(6)].map((entry) => entry.address);
}

/** Returns the result of Go's net.IP.IsLoopback. */
function isLoopbackAddress(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

/**
 * Returns the result of Go's net.IP.IsGlobalUnicast, which includes private and unique local addresses. It excludes
 * unspecified, loopback, link-local and multicast addresses, and 255.255.255.255.
 */
export function isGlobalUnicast(address: string): boolean {
  if (isLoopbackAddress(address) || address === '::' || address === '0.0.0.0' || address === '255.255.255.255')
    return false;
  if (familyOf(address) === 6) return !isLinkLocal6(address) && !/^ff/i.test(address);
  const first = Number(address.split('.')[0]);
  return !address.startsWith('169.254.') && !(first >= 224 && first < 240);
}

/** NIC whose addresses and routes the bridge has or will have. */
export interface Uplink {
  readonly interface: string;
  readonly bridge: string;
  /** Addresses without prefix length, the node's own first. */
  readonly addresses: readonly string[];
  /** Metric of the bridge's default routes by family; null if they keep their present metrics. */
  readonly metrics: Readonly<Record<4 | 6, number>> | null;
}

/**
 * Returns the node as MicroShift would find it if the NIC still had the addresses and routes that the bridge has or
 * will have. The routes have the metrics in `uplink`, or else those that they have on the bridge, and lo lacks the
 * addresses that were added for MicroShift. With the bridge, MicroShift must find the same address of the node.
 */
export function withoutBridge({ links, routes }: HostNetwork, uplink: Uplink): HostNetwork {
  const { interface: nic, bridge, addresses, metrics } = uplink;
  const isOwn = ({ address }: LinkAddress): boolean => addresses.includes(address);
  const own = addresses.map((address): LinkAddress => {
    const [family, prefixLength] = familyOf(address) === 6 ? ([6, 128] as const) : ([4, 32] as const);
    const flags = { tentative: false, dadFailed: false, temporary: false, deprecated: false };
    return { family, address, prefixLength, scope: 'global', ...flags };
  });
  return {
    links: links.map((link) => {
      if (link.name === nic) return { ...link, up: true, addresses: own };
      if (link.name !== bridge && !isLoopback(link)) return link;
      return { ...link, addresses: link.addresses.filter((entry) => !isOwn(entry)) };
    }),
    routes: preferredFirst(
      routes.map((route) => {
        if (route.device !== bridge && route.device !== nic) return route;
        return { ...route, device: nic, metric: metrics?.[route.family] ?? route.metric };
      }),
      nic,
    ),
  };
}

/**
 * Returns the routes with the default routes in the kernel's order: the route with the lowest metric first. Of two
 * routes with the same metric, that of the NIC is first: the other route belongs to a NIC that leaves the bridge, and
 * will get a higher metric.
 */
function preferredFirst(routes: readonly Route[], nic: string): readonly Route[] {
  const defaults = routes.filter((route) => isDefault(route.destination));
  const others = routes.filter((route) => !isDefault(route.destination));
  const place = ({ device }: Route): number => (device === nic ? 0 : 1);
  const order = (one: Route, other: Route): number => one.metric - other.metric || place(one) - place(other);
  return [...others, ...defaults.toSorted(order)];
}
