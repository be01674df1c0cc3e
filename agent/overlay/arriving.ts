import type { OverlayGateway, OverlayLayout, OverlayNode } from '../model/overlay.ts';
import type { ArrivingService, ServicePlace, ServiceProtocol } from '../model/overlay-demux.ts';
import type { DatabaseRow, DatabaseRows } from '../model/rows.ts';
import { canonicalAddress, familyOf } from '../net/address.ts';
import { isIpv6, isWithin, withoutLength } from './addresses.ts';
import { indexRows, listOf, mapOf, textOf } from './existing.ts';
import { gatewayNames } from './names.ts';

/** Tables of OVN_Southbound that services are read from. */
export const serviceTables = ['Load_Balancer', 'Logical_DP_Group', 'Datapath_Binding', 'Chassis', 'Encap'] as const;

/** An entry of a load balancer: where it is reached, and who serves it. */
interface Vip {
  readonly protocol: ServiceProtocol;
  readonly at: ServicePlace;
  readonly backends: readonly ServicePlace[];
  readonly isOfGateway: boolean;
}

/**
 * The services that arrive at a node's gateway from outside: at its own addresses (NodePorts), and at addresses outside of every range of the cluster
 * (external addresses, load balancers). In order. Entries without a port are none of Kubernetes, and left to OVN alone.
 */
export function arrivingServices(
  layout: Pick<OverlayLayout, 'clusterSubnets' | 'serviceSubnets'>,
  node: Pick<OverlayNode, 'name' | 'systemId' | 'hostAddresses'>,
  gateway: Pick<OverlayGateway, 'addresses'>,
  rows: DatabaseRows,
): readonly ArrivingService[] {
  const own = gateway.addresses.map(withoutLength);
  const hosts = [...own, ...node.hostAddresses];
  const vips = vipsOf(rows, node.name);
  const inService = (address: string): boolean => isInside(layout.serviceSubnets, address);
  const inside = [...layout.clusterSubnets, ...layout.serviceSubnets];
  const elsewhere = tunnelEndsOfOthers(rows, node.systemId);
  const arrives = ({ at, isOfGateway }: Vip): boolean =>
    isOfGateway &&
    own.some((address) => isIpv6(address) === isIpv6(at.address)) &&
    !isInside(inside, at.address) &&
    !elsewhere.includes(at.address);
  const found = vips.filter(arrives).map(({ protocol, at, backends }): ArrivingService => {
    const here = backends.find(({ address }) => hosts.includes(address)) ?? null;
    const twin = vips.find(
      (one) => one.protocol === protocol && inService(one.at.address) && samePlaces(one.backends, backends),
    );
    const inCluster = backends.length === 0 ? null : (twin?.at ?? backends[0] ?? null);
    return { protocol, ...at, target: here ?? inCluster, isServedHere: here !== null };
  });
  const byPlace = new Map(
    found.map((one) => [`${one.address} ${one.protocol} ${String(one.port).padStart(5, '0')}`, one]),
  );
  return [...byPlace].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function isInside(subnets: readonly string[], address: string): boolean {
  return subnets.some((subnet) => isWithin(address, subnet));
}

/** What others' chassis say of where they are: a NodePort there is theirs. */
function tunnelEndsOfOthers(rows: DatabaseRows, systemId: string): string[] {
  const existing = indexRows(rows);
  const others = existing.all('Chassis').filter((row) => row.name !== systemId);
  const ends = others.flatMap((row) => existing.referred(row, 'encaps', 'Encap'));
  return ends.map((row) => canonicalAddress(textOf(row, 'ip')));
}

function vipsOf(rows: DatabaseRows, node: string): Vip[] {
  const existing = indexRows(rows);
  const tellsRouters = 'lr_datapath_group' in (rows.shape.Load_Balancer ?? {});
  const router = existing
    .all('Datapath_Binding')
    .find((row) => mapOf(row, 'external_ids').name === gatewayNames(node).router);
  // Before OVN 23.09 only switches are told of (ovn-sb(5), Load_Balancer), so that every load balancer may be the gateway's.
  const isOnRouter = (row: DatabaseRow): boolean =>
    !tellsRouters ||
    existing
      .referred(row, 'lr_datapath_group', 'Logical_DP_Group')
      .some((group) => listOf(group, 'datapaths').includes(router?._uuid ?? ''));
  return existing.all('Load_Balancer').flatMap((row) => {
    const protocol = protocolOf(textOf(row, 'protocol'));
    const isOfGateway = isOnRouter(row);
    return Object.entries(mapOf(row, 'vips')).flatMap(([key, text]): Vip[] => {
      const at = placeOf(key);
      const backends = text.split(',').flatMap((one) => placeOf(one) ?? []);
      return at === null || protocol === null ? [] : [{ protocol, at, backends, isOfGateway }];
    });
  });
}

/** No protocol is TCP (ovn-nb(5), Load_Balancer). */
function protocolOf(text: string): ServiceProtocol | null {
  const word = text === '' ? 'tcp' : text;
  return word === 'tcp' || word === 'udp' || word === 'sctp' ? word : null;
}

/** `192.0.2.1:80`, `[2001:db8::1]:80`. What is neither is null: it has come from another machine. */
function placeOf(text: string): ServicePlace | null {
  const [, six, four, digits] = /^(?:\[([0-9A-Fa-f:.]+)\]|([0-9.]+)):([0-9]{1,5})$/.exec(text.trim()) ?? [];
  const address = six ?? four ?? '';
  const port = Number(digits);
  if (familyOf(address) !== (six === undefined ? 4 : 6) || !(port > 0 && port < 65_536)) return null;
  return { address: canonicalAddress(address), port };
}

function samePlaces(a: readonly ServicePlace[], b: readonly ServicePlace[]): boolean {
  const text = (places: readonly ServicePlace[]): string =>
    places
      .map(({ address, port }) => `${address} ${port}`)
      .toSorted()
      .join();
  return text(a) === text(b);
}
