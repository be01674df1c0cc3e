import { type VtepPeer, vtepPeersOf } from '../model/overlay-peer.ts';
import type { DatabaseRow, DatabaseRows } from '../model/rows.ts';
import { canonicalAddress, familyOf } from '../net/address.ts';
import { isIpv6, isWithin, withoutLength } from '../overlay/addresses.ts';
import { peersIn } from '../overlay/peers/published-peers.ts';
import { indexRows, listOf, mapOf, textOf } from '../overlay/rows/row-index.ts';

/** Logical port (ovn-sb(5), Port_Binding). */
export interface LogicalPort {
  readonly name: string;
  /** Type of the port; empty for a VIF, which belongs to a pod or a node. */
  readonly type: string;
  readonly datapath: Datapath;
  readonly key: number;
  /**
   * Name of the router port that a switch port is connected to, or of the switch port that a router port is connected
   * to; null for other ports.
   */
  readonly peer: string | null;
  readonly mac: string | null;
  /** Addresses of the port; those of a router port with their prefix length. */
  readonly addresses: readonly string[];
  readonly chassis: Chassis | null;
}

export interface Datapath {
  readonly uuid: string;
  readonly name: string;
  readonly kind: 'switch' | 'router';
  readonly key: number;
}

export interface Chassis {
  /** System-id of the node to which the chassis belongs. */
  readonly name: string;
  readonly node: string;
  readonly encaps: readonly { readonly type: string; readonly address: string }[];
}

/** Logical network, and the chassis of its ports. */
export interface LogicalNetwork {
  readonly ports: readonly LogicalPort[];
  readonly chassis: readonly Chassis[];
  port(name: string): LogicalPort | null;
  /** Returns the port of a node, pod or router that has this address; null if no port has it. */
  owner(address: string): LogicalPort | null;
  /**
   * Returns the router port that is connected to a switch and has a subnet with the address; null if no router port has
   * such a subnet.
   */
  routerFor(datapath: Datapath, address: string): LogicalPort | null;
  /** Returns the chassis that handles the packets of a port; null if no chassis does. */
  carrier(port: LogicalPort): Chassis | null;
  /** Returns the MAC that OVN does not resolve for a next hop behind a router port; null if it resolves the MAC. */
  fixedMac(port: string, address: string): string | null;
  /** Peers of the cluster that are reached in VXLAN. */
  readonly vteps: readonly VtepPeer[];
}

/** Columns of OVN_Southbound that a trace needs. */
export const southboundColumns: Readonly<Record<string, readonly string[]>> = {
  Port_Binding: ['logical_port', 'type', 'datapath', 'tunnel_key', 'mac', 'options', 'chassis'],
  Datapath_Binding: ['tunnel_key', 'external_ids'],
  Chassis: ['name', 'hostname', 'encaps'],
  Encap: ['type', 'ip'],
  Load_Balancer: ['name', 'vips', 'protocol', 'external_ids'],
  Logical_Flow: ['external_ids', 'match', 'actions', 'logical_datapath'],
  Static_MAC_Binding: ['logical_port', 'ip', 'mac'],
  SB_Global: ['external_ids'],
};

export function networkOf(rows: DatabaseRows): LogicalNetwork {
  const existing = indexRows(rows);
  const chassis = new Map(
    existing.all('Chassis').map((row) => [
      row._uuid,
      {
        name: textOf(row, 'name'),
        node: textOf(row, 'hostname') || textOf(row, 'name'),
        encaps: existing
          .referred(row, 'encaps', 'Encap')
          .map((encap) => ({ type: textOf(encap, 'type'), address: textOf(encap, 'ip') })),
      },
    ]),
  );
  const datapaths = new Map(existing.all('Datapath_Binding').map((row) => [row._uuid, datapathOf(row)]));
  const ports = existing.all('Port_Binding').flatMap((row) => {
    const datapath = datapaths.get(textOf(row, 'datapath'));
    return datapath === undefined ? [] : [portOf(row, datapath, chassis.get(textOf(row, 'chassis')) ?? null)];
  });
  const byName = new Map(ports.map((port) => [port.name, port]));
  const peerOf = ({ peer }: LogicalPort): LogicalPort | null => byName.get(peer ?? '') ?? null;
  const on = (datapath: Datapath): readonly LogicalPort[] => ports.filter((port) => port.datapath === datapath);
  return {
    ports,
    chassis: [...chassis.values()],
    port: (name) => byName.get(name) ?? null,
    owner: (address) =>
      ports.find(
        ({ type, addresses }) => type !== 'chassisredirect' && addresses.some((one) => withoutLength(one) === address),
      ) ?? null,
    routerFor: (datapath, address) =>
      on(datapath)
        .flatMap((port) => peerOf(port) ?? [])
        .find(({ addresses }) =>
          addresses.some((network) => isIpv6(network) === isIpv6(address) && isWithin(address, network)),
        ) ?? null,
    carrier: (port) =>
      port.type === 'localnet'
        ? (on(port.datapath).find(({ type }) => type === 'l3gateway')?.chassis ?? null)
        : port.chassis,
    fixedMac: (port, address) => {
      const row = existing.all('Static_MAC_Binding').find((one) => one.logical_port === port && one.ip === address);
      return row === undefined ? null : textOf(row, 'mac').toLowerCase();
    },
    vteps: vtepPeersOf(peersIn(mapOf(existing.all('SB_Global')[0] ?? null, 'external_ids'))),
  };
}

function datapathOf(row: DatabaseRow): Datapath {
  const ids = mapOf(row, 'external_ids');
  return {
    uuid: row._uuid,
    name: ids.name ?? row._uuid,
    kind: 'logical-router' in ids ? 'router' : 'switch',
    key: Number(row.tunnel_key),
  };
}

function portOf(row: DatabaseRow, datapath: Datapath, chassis: Chassis | null): LogicalPort {
  const words = listOf(row, 'mac').flatMap((entry) => String(entry).split(' '));
  const macs = words.filter((word) => /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(word));
  return {
    name: textOf(row, 'logical_port'),
    type: textOf(row, 'type'),
    datapath,
    key: Number(row.tunnel_key),
    peer: mapOf(row, 'options').peer ?? null,
    mac: macs[0] ?? null,
    addresses: words.filter((word) => familyOf(withoutLength(word)) !== null).map(canonical),
    chassis,
  };
}

/**
 * Returns an address in canonical notation. Rows of the northbound database may have any notation, and ovn-northd
 * copies it.
 */
function canonical(address: string): string {
  return address.replace(/^[^/]*/, canonicalAddress);
}
