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
import { fromOvn } from './errors.ts';

/** A database answers in milliseconds; 15 s is for one that compacts its file, a slow link between two nodes, and a machine that swaps. */
const callMs = 15_000;

/** Rows of a table that a wait looks for: those that have these values in these columns. */
export interface Awaited {
  readonly table: string;
  readonly where: Parameters<typeof wait>[0]['where'];
}

/** One database, by rows. Every call settles; failures are AgentErrors. */
export interface RowDatabase {
  readonly name: string;
  /** Which server answers: `unix:/run/ovn/ovnnb_db.sock`. */
  readonly server: string;
  /** The schema as the server writes it (RFC 7047 section 3.2). */
  schema(): Promise<JsonObject>;
  /** Every row of these tables, with these columns, as of one moment. */
  read(columns: Readonly<Record<string, readonly string[]>>): Promise<Readonly<Record<string, readonly JsonObject[]>>>;
  /** All of the operations as one transaction, or none. */
  transact(what: string, operations: readonly Operation[]): Promise<readonly (readonly JsonObject[])[]>;
  /** Settles with true as soon as there is such a row, with false when there is none within the limit. The server tells; nothing polls. */
  appears(row: Awaited, limitMs: number): Promise<boolean>;
  close(): void;
}

/** The local Open vSwitch. */
export function openSwitchDatabase(runDirectory: string): Promise<RowDatabase> {
  return open('Open_vSwitch', `unix:${runDirectory}/db.sock`, undefined);
}

/** OVN's northbound or southbound database on this node; null: it is not there. */
export async function openCentralDatabase(
  name: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
): Promise<RowDatabase | null> {
  const path = centralSocket(name, runDirectories);
  if (path === null) return null;
  return open(name, `unix:${path}`, undefined);
}

/** Where a database of OVN listens on this node; null: nowhere. */
export function centralSocket(
  name: 'OVN_Northbound' | 'OVN_Southbound',
  runDirectories: readonly string[],
): string | null {
  const file = name === 'OVN_Northbound' ? 'ovnnb_db.sock' : 'ovnsb_db.sock';
  return runDirectories.map((directory) => `${directory}/${file}`).find((path) => existsSync(path)) ?? null;
}

/** The southbound database of the central node, as this node sees it; without credentials where no remote is `ssl:`. */
export function openSouthbound(remotes: readonly string[], credentials: Credentials | undefined): Promise<RowDatabase> {
  return open('OVN_Southbound', remotes.join(','), credentials);
}

/** The northbound database of the central node, for a node that writes its own rows; without credentials where no remote is `ssl:`. */
export function openNorthbound(remotes: readonly string[], credentials: Credentials | undefined): Promise<RowDatabase> {
  return open('OVN_Northbound', remotes.join(','), credentials);
}

async function open(name: string, remote: string, credentials: Credentials | undefined): Promise<RowDatabase> {
  const client = await connect(remote, callMs, { credentials }).catch((error: unknown) => {
    throw fromOvn('connect', remote, error);
  });
  const named = <T>(what: string, call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw fromOvn(what, remote, error);
    });
  return {
    name,
    server: remote,
    schema: async () => (await named(`read the schema of ${name}`, client.call('get_schema', [name]))) as JsonObject,
    read: (columns) => named(`read ${name}`, read(client, name, columns)),
    transact: (what, operations) => named(what, client.transact(name, operations)),
    appears: (row, limitMs) => named(`wait for a row of ${row.table}`, appears(client, name, row, limitMs)),
    close: () => client.close(),
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

/** RFC 7047 section 5.2.6: the server holds the answer back until the rows are no longer none. */
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

/** Takes a chassis out. Chassis_Private (OVN 20.09 and later) has no owner that would take it along. */
export async function removeChassis(database: RowDatabase, systemId: string): Promise<void> {
  const where = [['name', '==', systemId]] as const;
  const { tables } = (await database.schema()) as { readonly tables: Readonly<Record<string, unknown>> };
  const names = ['Chassis', 'Chassis_Private'].filter((table) => table in tables);
  await database.transact(
    `remove chassis ${systemId}`,
    names.map((table) => ({ op: 'delete' as const, table, where })),
  );
}

/** Asks every ovn-controller of the cluster to answer with a number, which it gives (ovn-nb(5), NB_Global.nb_cfg). */
export async function askNextNumber(northbound: RowDatabase): Promise<number> {
  const [, [row] = []] = await northbound.transact('ask the chassis for an answer', [
    mutate('NB_Global', [], [['nb_cfg', '+=', 1]]),
    select('NB_Global', [], ['nb_cfg']),
  ]);
  return Number(row?.nb_cfg);
}

/** What keeps a command from going on without OVN. */
export function ovnMissing(what: string, packageName: string): AgentError {
  return new AgentError('ovn-not-running', `${what} does not run on this node`, {
    hint: `install OVN (package ${packageName}), or look at journalctl -u ovn-central -u ovn-controller`,
    facts: { package: packageName },
  });
}
