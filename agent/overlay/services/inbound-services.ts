import type { OverlayGateway, OverlayLayout, OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import type { InboundService, ServicePlace, ServiceProtocol } from '../../model/shared-bridge.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { disjointRanges } from '../../net/address-range.ts';
import { isIpv6, isWithin, withoutLength } from '../addresses.ts';
import { gatewayNames } from '../overlay-names.ts';
import { indexRows, listOf, mapOf, textOf } from '../rows/row-index.ts';
import { permittedClients } from './permitted-clients.ts';

/** Columns of OVN_Southbound from which services are read, by table. */
export const serviceColumns = {
  Load_Balancer: ['name', 'vips', 'protocol', 'lr_datapath_group', 'options'],
  Logical_DP_Group: ['datapaths'],
  Datapath_Binding: ['external_ids'],
  Chassis: ['name', 'encaps'],
  Encap: ['ip', 'chassis_name'],
} as const;

/** Tables of OVN_Southbound from which services are read. */
export const serviceTables = Object.keys(serviceColumns);

/** Entry of `vips` of a load balancer: its address and port, and its backends. */
interface Vip {
  readonly protocol: ServiceProtocol;
  readonly at: ServicePlace;
  readonly backends: readonly ServicePlace[];
  /**
   * Key that is equal for two entries if they belong to the same service and have the same protocol, address family and
   * backends.
   */
  readonly served: string;
  readonly isOfGateway: boolean;
  /** Ranges of the permitted clients; null if every client is permitted. */
  readonly permitted: readonly string[] | null;
}

/**
 * Returns the inbound services of a node, sorted by address, protocol and port. A service is inbound at the addresses
 * of the node's gateway (NodePorts), and at addresses that are in no range of the cluster and are not tunnel addresses
 * of other nodes (external addresses, load balancers). A service that the node itself serves is also inbound at its
 * cluster address, because the node's own packets would not reach it through OVN. Entries without a port do not come
 * from Kubernetes and are left to OVN. `gateway` is null if no gateway shares a bridge with the node.
 */
export function inboundServices(
  layout: Pick<OverlayLayout, 'clusterSubnets' | 'serviceSubnets'>,
  node: Pick<OverlayNode, 'name' | 'systemId' | 'hostAddresses'>,
  gateway: Pick<OverlayGateway, 'addresses'> | null,
  rows: DatabaseRows,
): readonly InboundService[] {
  const own = (gateway?.addresses ?? []).map(withoutLength);
  const hosts = [...own, ...node.hostAddresses];
  const vips = vipsOf(rows, node.name);
  const inService = remembering((address) => isInside(layout.serviceSubnets, address));
  const inside = remembering((address) => inService(address) || isInside(layout.clusterSubnets, address));
  const elsewhere = new Set(tunnelEndsOfOthers(rows, node.systemId));
  const arrives = ({ at, isOfGateway }: Vip): boolean =>
    isOfGateway &&
    (own.includes(at.address) || !elsewhere.has(at.address)) &&
    own.some((address) => isIpv6(address) === isIpv6(at.address)) &&
    !inside(at.address);
  const places = byText(vips, placeText);
  // A cluster address whose backends differ from node to node is in several rows. Packets are not forwarded to it,
  // because each of these rows has only the backends for some of the nodes.
  const inCluster = byText(
    vips.filter((vip) => inService(vip.at.address) && places.get(placeText(vip))?.length === 1),
    ({ served }) => served,
  );
  const found = vips.flatMap((vip): InboundService[] => {
    const { protocol, at, backends, permitted } = vip;
    const restricted = permitted === null ? {} : { permitted: withOwnAddress(permitted, at.address, hosts) };
    const here = backends.find(({ address }) => hosts.includes(address)) ?? null;
    if (here !== null && inService(at.address)) return [{ protocol, ...at, target: here, isServedHere: true }];
    if (!arrives(vip)) return [];
    if (here !== null) return [{ protocol, ...at, target: here, isServedHere: true, ...restricted }];
    // The load balancer of the gateway's router may have only backends of this node (`externalTrafficPolicy: Local`).
    // At the same address and port, the load balancers of switches have all backends of the service.
    const alike = (places.get(placeText(vip)) ?? []).filter((one) => one.backends.length > 0);
    const [twin] = alike.flatMap(({ served }) => inCluster.get(served) ?? []);
    const target = twin?.at ?? backends[0] ?? alike[0]?.backends[0] ?? null;
    return [{ protocol, ...at, target, isServedHere: false, ...restricted }];
  });
  const byPlace = new Map(
    found.map((one) => [`${one.address} ${one.protocol} ${String(one.port).padStart(5, '0')}`, one]),
  );
  return [...byPlace].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/**
 * Returns the ranges of the clients that are permitted at `address`. If `address` is an address of this node, and any
 * address of this node is permitted, the ranges also contain `address` itself, as in kube-proxy (pkg/proxy/nftables):
 * packets that the node sends to `address` have it as their source.
 */
function withOwnAddress(permitted: readonly string[], address: string, hosts: readonly string[]): readonly string[] {
  if (!hosts.includes(address) || !hosts.some((host) => isInside(permitted, host))) return permitted;
  return disjointRanges([...permitted, `${address}/${isIpv6(address) ? 128 : 32}`]);
}

function byText(vips: readonly Vip[], textOfOne: (vip: Vip) => string): ReadonlyMap<string, readonly Vip[]> {
  const found = new Map<string, Vip[]>();
  for (const vip of vips) {
    const others = found.get(textOfOne(vip));
    if (others === undefined) found.set(textOfOne(vip), [vip]);
    else others.push(vip);
  }
  return found;
}

function placeText({ protocol, at }: Vip): string {
  return `${protocol} ${at.address} ${at.port}`;
}

/**
 * Returns a function that has the same results as `work`, and that calls `work` only once for each text. The load
 * balancers of a cluster have thousands of entries, and most of these have an address or backends in common with
 * others.
 */
function remembering<T>(work: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const now = work(text);
    known.set(text, now);
    return now;
  };
}

function isInside(subnets: readonly string[], address: string): boolean {
  return subnets.some((subnet) => isWithin(address, subnet));
}

/**
 * Returns the addresses of the tunnel endpoints of other chassis. A NodePort at one of these addresses belongs to that
 * chassis, unless this node itself has the address. A row of Encap is left out if its `chassis_name` is not empty and
 * differs from the name of the chassis that refers to the row.
 */
function tunnelEndsOfOthers(rows: DatabaseRows, systemId: string): string[] {
  const existing = indexRows(rows);
  const others = existing.all('Chassis').filter((row) => row.name !== systemId);
  const ends = others.flatMap((row) =>
    existing.referred(row, 'encaps', 'Encap').filter((end) => ['', row.name].includes(textOf(end, 'chassis_name'))),
  );
  return ends.map((row) => canonicalAddress(textOf(row, 'ip')));
}

function vipsOf(rows: DatabaseRows, node: string): Vip[] {
  const existing = indexRows(rows);
  const tellsRouters = 'lr_datapath_group' in (rows.shape.Load_Balancer ?? {});
  const router = existing
    .all('Datapath_Binding')
    .find((row) => mapOf(row, 'external_ids').name === gatewayNames(node).router);
  // Before OVN 23.09.1 a row names only its switches (ovn-sb(5), Load_Balancer). In these releases, every load balancer
  // counts as a load balancer of the gateway's router.
  const isOnRouter = (row: DatabaseRow): boolean =>
    !tellsRouters ||
    existing
      .referred(row, 'lr_datapath_group', 'Logical_DP_Group')
      .some((group) => listOf(group, 'datapaths').includes(router?._uuid ?? ''));
  const backendsIn = remembering((text) => text.split(',').flatMap((one) => placeOf(one) ?? []));
  const servedBy = remembering((text) =>
    backendsIn(text)
      .map(({ address, port }) => `${address} ${port}`)
      .toSorted()
      .join(),
  );
  return existing.all('Load_Balancer').flatMap((row) => {
    const protocol = protocolOf(textOf(row, 'protocol'));
    const isOfGateway = isOnRouter(row);
    const service = serviceOf(row);
    const options = mapOf(row, 'options');
    return Object.entries(mapOf(row, 'vips')).flatMap(([key, text]): Vip[] => {
      const at = placeOf(key);
      if (at === null || protocol === null) return [];
      // OVN ignores a backend of another family than the address. nft(8) would refuse the whole table because of such a
      // backend.
      const backends = backendsIn(text).filter(({ address }) => isIpv6(address) === isIpv6(at.address));
      const served = `${service} ${protocol} ${isIpv6(at.address) ? 'IPv6' : 'IPv4'} ${servedBy(text)}`;
      const permitted = permittedClients(options, key, at.address);
      return [{ protocol, at, backends, served, isOfGateway, permitted }];
    });
  });
}

/**
 * Returns the prefix that the rows of one service have in common: `Service_NAMESPACE/NAME`
 * (agent/workload/services/balancer-rows.ts). A row of another tool counts as a service of its own.
 */
function serviceOf(row: DatabaseRow): string {
  return /^Service_[^_]+/.exec(textOf(row, 'name'))?.[0] ?? row._uuid;
}

/**
 * Returns the protocol of a load balancer, which is TCP if the column is empty (ovn-nb(5), Load_Balancer); null if it
 * is unknown.
 */
function protocolOf(text: string): ServiceProtocol | null {
  const word = text === '' ? 'tcp' : text;
  return word === 'tcp' || word === 'udp' || word === 'sctp' ? word : null;
}

/**
 * Parses an address and port: `192.0.2.1:80`, `[2001:db8::1]:80`. Returns null for any other text, which another
 * machine may have written.
 */
export function placeOf(text: string): ServicePlace | null {
  const [, six, four, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})$/.exec(text.trim()) ?? [];
  const address = six ?? four ?? '';
  const port = Number(digits);
  if (familyOf(address) !== (six === undefined ? 4 : 6) || !(port > 0 && port < 65_536)) return null;
  return { address: canonicalAddress(address), port };
}
