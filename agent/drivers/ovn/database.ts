import { existsSync } from 'node:fs';
import { AgentError } from '../../errors.ts';
import {
  type Credentials,
  connect,
  type JsonObject,
  mutate,
  type Operation,
  type OvsdbClient,
  select,
  wait,
} from '../ovsdb/index.ts';
import { fromOvn } from './ovn-errors.ts';

/**
 * Time limit for a call. A database answers in milliseconds; 15 s allow for the compaction of its file, a slow link
 * between two nodes, and a machine that swaps.
 */
export const databaseCallMs = 15_000;

/** Condition of a wait: `table` has a row that meets all conditions of `where`. */
export interface Awaited {
  readonly table: string;
  readonly where: Parameters<typeof wait>[0]['where'];
}

/** Rows of one database. Every call settles; failures are AgentErrors. */
export interface RowDatabase {
  readonly name: string;
  /** Remote of the server: `unix:/run/ovn/ovnnb_db.sock`. */
  readonly server: string;
  /** Returns the schema as the server writes it (RFC 7047 section 3.2). */
  schema(): Promise<JsonObject>;
  /** Returns every row of these tables with these columns, from one transaction. */
  read(columns: Readonly<Record<string, readonly string[]>>): Promise<Readonly<Record<string, readonly JsonObject[]>>>;
  /** Executes the operations as one transaction, all or none. */
  transact(what: string, operations: readonly Operation[]): Promise<readonly (readonly JsonObject[])[]>;
  /**
   * Resolves with true as soon as a row meets the condition `row`, and with false at the limit. The server reports the
   * row; the client does not poll.
   */
  appears(row: Awaited, limitMs: number): Promise<boolean>;
  close(): void;
}

/**
 * Opens the database of Open vSwitch on this node. When `stop` is aborted, the database is closed, and pending and
 * later calls fail with the reason of the signal. The same applies to `stop` of the other functions in this file.
 */
export function openSwitchDatabase(runDirectory: string, stop?: AbortSignal): Promise<RowDatabase> {
  return open('Open_vSwitch', `unix:${runDirectory}/db.sock`, undefined, stop);
}

/** Opens OVN's northbound or southbound database on this node; null if the database has no socket here. */
export async function openCentralDatabase(
  name: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
  stop?: AbortSignal,
): Promise<RowDatabase | null> {
  const path = centralSocket(name, runDirectories);
  if (path === null) return null;
  return open(name, `unix:${path}`, undefined, stop);
}

/** Returns the socket of an OVN database on this node; null if it does not exist. */
export function centralSocket(
  name: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
): string | null {
  const file = name === 'OVN_Northbound' ? 'ovnnb_db.sock' : 'ovnsb_db.sock';
  return runDirectories.map((directory) => `${directory}/${file}`).find((path) => existsSync(path)) ?? null;
}

/** Connects to the southbound database of the central node. `credentials` may be undefined if no remote is `ssl:`. */
export function openSouthbound(
  remotes: readonly string[],
  credentials: Credentials | undefined,
  stop?: AbortSignal,
): Promise<RowDatabase> {
  return open('OVN_Southbound', remotes.join(','), credentials, stop);
}

/**
 * Connects to the northbound database of the central node, for a node that writes its own rows. `credentials` may be
 * undefined if no remote is `ssl:`.
 */
export function openNorthbound(
  remotes: readonly string[],
  credentials: Credentials | undefined,
  stop?: AbortSignal,
): Promise<RowDatabase> {
  return open('OVN_Northbound', remotes.join(','), credentials, stop);
}

async function open(
  name: string,
  remote: string,
  credentials: Credentials | undefined,
  stop?: AbortSignal,
): Promise<RowDatabase> {
  stop?.throwIfAborted();
  const client = await connect(remote, databaseCallMs, { credentials }).catch((error: unknown) => {
    throw fromOvn('connect', remote, error);
  });
  const giveUp = (): void => client.close();
  stop?.addEventListener('abort', giveUp);
  if (stop?.aborted === true) giveUp();
  const named = <T>(what: string, call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      stop?.throwIfAborted();
      throw fromOvn(what, remote, error);
    });
  return {
    name,
    server: remote,
    schema: async () => (await named(`read the schema of ${name}`, client.call('get_schema', [name]))) as JsonObject,
    read: (columns) => named(`read ${name}`, read(client, name, columns)),
    transact: (what, operations) => named(what, client.transact(name, operations)),
    appears: (row, limitMs) => named(`wait for a row of ${row.table}`, appears(client, name, row, limitMs)),
    close: () => {
      stop?.removeEventListener('abort', giveUp);
      client.close();
    },
  };
}

async function read(
  client: OvsdbClient,
  name: string,
  columns: Readonly<Record<string, readonly string[]>>,
): Promise<Readonly<Record<string, readonly JsonObject[]>>> {
  const tables = Object.entries(columns);
  const operations = tables.map(([table, names]) => select(table, [], ['_uuid', ...names]));
  const answers = await client.transact(name, operations);
  return Object.fromEntries(tables.map(([table], index) => [table, answers[index] ?? []]));
}

/**
 * Waits with the operation `wait` (RFC 7047 section 5.2.6), with which the server delays its answer until a row exists.
 */
async function appears(
  client: OvsdbClient,
  name: string,
  { table, where }: Awaited,
  limitMs: number,
): Promise<boolean> {
  const none = { table, where, columns: ['_uuid'], until: '!=' as const, rows: [], timeout: limitMs };
  try {
    await client.transact(name, [wait(none)]);
    return true;
  } catch (error) {
    if (/timed out/.test(String(error))) return false;
    throw error;
  }
}

/** Returns the rows of a table that meet all conditions of `where`, with these columns. Fails with `ovsdb-…`. */
export async function selectRows(
  database: RowDatabase,
  table: string,
  where: Parameters<typeof select>[1],
  columns: readonly string[],
): Promise<readonly JsonObject[]> {
  const [rows = []] = await database.transact(`read ${table}`, [select(table, where, ['_uuid', ...columns])]);
  return rows;
}

/**
 * Removes a chassis and its row of Chassis_Private (OVN 20.09 and later), which the removal of the chassis alone would
 * leave.
 */
export async function removeChassis(database: RowDatabase, systemId: string): Promise<void> {
  const where = [['name', '==', systemId]] as const;
  const { tables } = (await database.schema()) as { readonly tables: Readonly<Record<string, unknown>> };
  const names = ['Chassis', 'Chassis_Private'].filter((table) => table in tables);
  await database.transact(
    `remove chassis ${systemId}`,
    names.map((table) => ({ op: 'delete' as const, table, where })),
  );
}

/**
 * Operation that increments NB_Global.nb_cfg, which every ovn-controller of the cluster copies as its answer
 * (ovn-nb(5)).
 */
export const nextNumber = mutate('NB_Global', [], [['nb_cfg', '+=', 1]]);

/** Requests an answer from every ovn-controller of the cluster. Returns the new value of NB_Global.nb_cfg. */
export async function askNextNumber(northbound: RowDatabase): Promise<number> {
  const [, [row] = []] = await northbound.transact('ask the chassis for an answer', [
    nextNumber,
    select('NB_Global', [], ['nb_cfg']),
  ]);
  return Number(row?.nb_cfg);
}

/** Error for a command that cannot continue without OVN. */
export function ovnMissing(what: string, packageName: string): AgentError {
  return new AgentError('ovn-not-running', `${what} is not running on this node`, {
    hint: `install OVN (package ${packageName}), or look at journalctl -u ovn-central -u ovn-controller`,
    facts: { package: packageName },
  });
}
