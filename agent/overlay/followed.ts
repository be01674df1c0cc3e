import type { DatabaseShape } from '../model/rows.ts';
import { followedColumns } from './tables.ts';
import { tagKeys } from './tag-keys.ts';

type Condition = readonly [string, string, unknown];

/** Columns of a table, and of which rows; without `where` of every one. */
export interface FollowedTable {
  readonly columns: readonly string[];
  readonly where?: readonly Condition[];
}

/** A database of which changes are followed. */
export type FollowedDatabase = keyof typeof followedColumns;

/** Tables whose rows are not all ours although they have a place for an owner: who registers, roots, and br-int, which others may have made. */
const wholeTables: readonly string[] = [
  'NB_Global',
  'SB_Global',
  'Open_vSwitch',
  'Bridge',
  'Chassis',
  'Chassis_Private',
];

/** Rows of Open vSwitch that a node's gateway depends on, and that have no owner. */
export interface FollowedGateway {
  /** What ovn-controller's port on the bridge stands for. */
  readonly localnetPort: string;
  /** That port. */
  readonly clusterPort: string;
  /** Of the NIC, whose number is another one each time that it is put into the bridge. */
  readonly mac: string;
}

/** What is followed of a database with this schema. Of several conditions one has to hold (ovsdb-server(7), monitor_cond). */
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
      if (!there.includes('external_ids') || wholeTables.includes(table)) return [[table, { columns: followed }]];
      const where = [has(tagKeys.owner, owner), ...(gateway === null ? [] : ofGateway(table, gateway))];
      return [[table, { columns: [...new Set([...followed, 'external_ids'])], where }]];
    }),
  );
}

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
