import {
  type Credentials,
  type JsonObject,
  openMirror,
  openSession,
  type RowChange,
  type Session,
  type TableRequest,
} from '../ovsdb/index.ts';

export type { RowChange } from '../ovsdb/index.ts';

/** Time limit for a call, which allows for a loaded machine and a slow link, as in database.ts. */
const limitMs = 15_000;

/** Database and tables whose rows are mirrored. */
export interface TablesRequest {
  readonly database: string;
  /** Remote: `unix:FILE`, `ssl:HOST:PORT`, …; several are separated by commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /** Columns and row conditions by table. Tables and columns that the server's release lacks are left out. */
  readonly tables: Readonly<Record<string, TableRequest>>;
}

/** Current rows as the server writes them, and its schema (RFC 7047 section 3.2). */
export interface TableContents {
  readonly schema: JsonObject;
  rows(table: string): Iterable<JsonObject>;
}

/**
 * Mirrors the rows of some tables. Calls the listener when the first contents have arrived, with no changes, and after
 * every transaction that changed rows, with these changes. Connects again after a lost connection, and keeps the rows
 * meanwhile. Runs until the returned function is called.
 */
export function followTables(
  { database, remote, credentials, tables }: TablesRequest,
  onChange: (contents: TableContents, changes: readonly RowChange[]) => void,
): () => void {
  const session = openSession({ remotes: remote, database, limitMs, credentials });
  let schema: JsonObject = {};
  session.follow(async (client) => {
    // The schema is requested before the mirror requests the rows, so it arrives before them.
    schema = (await client.call('get_schema', [database])) as JsonObject;
  });
  let isClosed = false;
  void mirrorOf(session, tables, () => isClosed).then((mirror) => {
    if (mirror === null) return;
    const notify = (changes: readonly RowChange[]): void =>
      onChange({ schema, rows: (table) => mirror.table(table).rows() }, changes);
    mirror.onChange(notify);
    notify([]);
  });
  return () => {
    isClosed = true;
    session.close();
  };
}

/**
 * Opens a mirror of the tables. Tries again after each failed attempt, until `isClosed` returns true; returns null in
 * this case.
 */
async function mirrorOf(session: Session, tables: TablesRequest['tables'], isClosed: () => boolean) {
  while (!isClosed()) {
    const mirror = await openMirror(session, tables, limitMs).catch(() => null);
    if (mirror !== null) return mirror;
  }
  return null;
}
