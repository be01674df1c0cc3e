import type { DatabaseShape } from '../../model/rows.ts';
import { followedColumns, redirectPorts } from './overlay-tables.ts';
import { tagKeys } from './tag-keys.ts';

type Condition = readonly [string, string, unknown];

/** Monitored columns of a table, and the conditions that select rows; without `where`, all rows are monitored. */
export interface FollowedTable {
  readonly columns: readonly string[];
  readonly where?: readonly Condition[];
}

/** Name of a monitored database. */
export type FollowedDatabase = keyof typeof followedColumns;

/**
 * Tables that are monitored without a condition on the owner, because their rows may belong to other programs: the
 * tables that have only one row, the tables with the registrations of members, and the table of the bridges (another
 * program may have created br-int).
 */
const wholeTables: readonly string[] = [
  'NB_Global',
  'SB_Global',
  'Open_vSwitch',
  'Bridge',
  'Chassis',
  'Chassis_Private',
];

/** Values that select the rows of Open vSwitch on which a node's gateway depends and that another program has made. */
export interface FollowedGateway {
  /** Logical port for which ovn-controller made its patch port on the gateway's bridge. */
  readonly localnetPort: string;
  /** Name of ovn-controller's patch port on the gateway's bridge. */
  readonly clusterPort: string;
  /**
   * MAC of the NIC, by which the NIC's Interface row is selected. The row changes each time the NIC is added to the
   * bridge, because the NIC then gets another OpenFlow port number.
   */
  readonly mac: string;
}

/**
 * Returns the tables and columns to monitor in a database with this schema. In a table with conditions, a row is
 * reported if it meets one of them (ovsdb-server(7), monitor_cond).
 */
export function followedTables(
  database: FollowedDatabase,
  shape: DatabaseShape,
  owner: string,
  gateway: FollowedGateway | null,
): Readonly<Record<string, FollowedTable>> {
  const wanted = Object.entries(followedColumns[database] as Readonly<Record<string, readonly string[] | null>>);
  return Object.fromEntries(
    wanted.flatMap(([table, names]) => {
      const there = Object.keys(shape[table] ?? {});
      const followed = names === null ? there : names.filter((name) => there.includes(name));
      if (followed.length === 0) return [];
      if (table === 'Port_Binding') return [[table, { columns: followed, where: redirectPorts }]];
      if (!there.includes('external_ids') || wholeTables.includes(table)) return [[table, { columns: followed }]];
      const where = [
        has(tagKeys.owner, owner),
        ...(table === 'Interface' ? [monitoredTunnel] : []),
        ...(gateway === null ? [] : ofGateway(table, gateway)),
      ];
      return [[table, { columns: [...new Set([...followed, 'external_ids'])], where }]];
    }),
  );
}

/**
 * Returns true unless an update only changes the conntrack zones that ovn-controller stores in `external_ids` of
 * br-int, one for each pod (ovn-controller(8), external_ids:ct-zone-*). The update has the form `<table-updates2>` of
 * ovsdb-server(7), section 4.1.14, in which a modified map contains only the pairs that differ.
 */
export function isMoreThanZones(updates: unknown): boolean {
  const tables = Object.entries((updates ?? {}) as Readonly<Record<string, Readonly<Record<string, unknown>>>>);
  return tables.some(([table, rows]) => table !== 'Bridge' || Object.values(rows).some((row) => !hasZonesOnly(row)));
}

function hasZonesOnly(row: unknown): boolean {
  const { modify, ...others } = row as { readonly modify?: Readonly<Record<string, unknown>> };
  if (modify === undefined || Object.keys(others).length > 0) return false;
  const { external_ids: ids, ...columns } = modify as { readonly external_ids?: readonly [string, readonly unknown[]] };
  if (ids === undefined || Object.keys(columns).length > 0) return false;
  return ids[1].every((pair) => String((pair as readonly unknown[])[0]).startsWith('ct-zone-'));
}

/** Condition that selects the tunnels on which ovn-controller has enabled BFD (ovs-vswitchd.conf.db(5), Interface). */
const monitoredTunnel: Condition = ['bfd', 'includes', ['map', [['enable', 'true']]]];

function ofGateway(table: string, { localnetPort, clusterPort, mac }: FollowedGateway): readonly Condition[] {
  if (table === 'Port') return [has('ovn-localnet-port', localnetPort)];
  if (table !== 'Interface') return [];
  return [
    ['name', '==', clusterPort],
    ['mac_in_use', '==', mac],
  ];
}

function has(key: string, value: string): Condition {
  return ['external_ids', 'includes', ['map', [[key, value]]]];
}
