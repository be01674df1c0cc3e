import type { OverlayNode } from '../../model/overlay.ts';
import type { DatabaseRow, DatabaseRows } from '../../model/rows.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { escapeText } from '../../printable.ts';
import { withoutLength } from '../addresses.ts';
import { gatewayNames } from '../overlay-names.ts';
import { textOf } from '../rows/row-index.ts';

/** Neighbour that this node's kernel knows. */
export interface KnownNeighbour {
  readonly address: string;
  readonly mac: string;
}

/**
 * Columns that are compared or counted, in each table of rows that ovn-controller has learned (ovn-sb(5)). OVN has
 * Learned_Route since 25.03.
 */
export const learnedColumns = {
  MAC_Binding: ['logical_port', 'ip', 'mac'],
  FDB: ['mac'],
  Learned_Route: ['ip_prefix'],
  IGMP_Group: ['address'],
} as const;

/**
 * Tables of learned rows in which this product causes no row, with the reason. ovn-controller learns MACs only at ports
 * with the address `unknown`, except localnet ports (ovn-northd, build_lswitch_learn_fdb_op). It learns routes only for
 * routers with the option `dynamic-routing`, and multicast groups only for switches with the option `mcast_snoop`.
 * ovn-northd, however, uses the learned routes of every router (ovn-northd, en-learned-route-sync.c).
 */
const unused = [
  { table: 'FDB', reason: 'no pod has a port that learns MACs', others: 'switches' },
  { table: 'Learned_Route', reason: 'no router of the cluster learns routes', others: 'routers' },
  { table: 'IGMP_Group', reason: 'no switch of the cluster follows multicast groups', others: 'switches' },
] as const;

/**
 * Returns a sentence for each table that has rows although this product causes none. Every member may write these
 * tables. The rows may also belong to switches or routers that other programs have added to the cluster.
 */
export function unexpectedRows({ tables }: DatabaseRows): readonly string[] {
  return unused.flatMap(({ table, reason, others }) => {
    const count = tables[table]?.length ?? 0;
    if (count === 0) return [];
    const rows = count === 1 ? '1 row' : `${count} rows`;
    return [
      `${table} has ${rows}, although ${reason}: unless another program has added ${others}, a member has written them, and packets may follow them until ovn-sbctl --all destroy ${table}`,
    ];
  });
}

/**
 * Compares the MACs that OVN's routers have learned (MAC_Binding) with the MACs of the cluster's gateways. If the
 * gateway of node `own` shares its node's bridge, also compares the MACs that this gateway has learned with the
 * neighbours that this node's kernel knows. Every member may write MAC_Binding rows of other members. Returns a
 * sentence for each row with a different MAC.
 */
export function conflictingNeighbours(
  rows: DatabaseRows,
  nodes: readonly OverlayNode[],
  own: OverlayNode,
  neighbours: readonly KnownNeighbour[],
): readonly string[] {
  const ofGateways = nodes.flatMap(({ name, gateway }) =>
    (gateway?.addresses ?? []).map((address) => ({
      address: withoutLength(address),
      mac: gateway?.mac ?? '',
      who: `the gateway of ${name}`,
    })),
  );
  const isShared = own.gateway?.kind === 'shared';
  const ofKernel = isShared ? neighbours.map((one) => ({ ...one, who: 'the kernel of this node' })) : [];
  const ownPort = gatewayNames(own.name).onRouter;
  return (rows.tables.MAC_Binding ?? []).flatMap((row: DatabaseRow): readonly string[] => {
    const [port, text, mac] = ['logical_port', 'ip', 'mac'].map((column) => textOf(row, column)) as [
      string,
      string,
      string,
    ];
    if (familyOf(text) === null) return [];
    const address = canonicalAddress(text);
    const known = [...ofGateways, ...(port === ownPort ? ofKernel : [])].find((one) => one.address === address);
    if (known === undefined || known.mac === mac) return [];
    const said = `router port ${escapeText(port, 80)} has the MAC ${escapeText(mac, 20)} for ${address}, and ${known.who} has ${known.mac}`;
    return [`${said}: its packets go astray until ovn-sbctl destroy MAC_Binding ${row._uuid}`];
  });
}
