// Numbers of rows of workloads in the northbound database of a node, kept up to date by a monitor.
import { openMirror, openSession } from '../../../agent/drivers/ovsdb/index.ts';
import type { Scope } from '../children.ts';
import type { Host } from '../hosts.ts';

const limitMs = 120_000;
const tables = ['Logical_Switch_Port', 'Load_Balancer', 'Address_Set', 'Port_Group', 'ACL', 'NAT'] as const;

export type Counts = Readonly<Record<string, number>>;

export interface Rows {
  /** Numbers by table. */
  counts(): Counts;
  /** Resolves when the tables have these numbers of rows. */
  until(counts: Counts): Promise<void>;
}

export async function openRows(scope: Scope, host: Host): Promise<Rows> {
  const remotes = `unix:${host.path('/run/ovn/ovnnb_db.sock')}`;
  const session = openSession({ remotes, database: 'OVN_Northbound', limitMs });
  scope.teardown(() => session.close());
  const requests = Object.fromEntries(tables.map((table) => [table, { columns: ['external_ids'] }]));
  const mirror = await openMirror(session, requests, limitMs);
  const counts = (): Counts => Object.fromEntries(tables.map((table) => [table, mirror.table(table).size]));
  return {
    counts,
    until: async (wanted) => {
      try {
        await mirror.until(() => tables.every((table) => mirror.table(table).size === wanted[table]), limitMs);
      } catch (error) {
        throw new Error(`${JSON.stringify(counts())} instead of ${JSON.stringify(wanted)}`, { cause: error });
      }
    },
  };
}
