import {
  type Credentials,
  type JsonObject,
  openMirror,
  openSession,
  type Session,
  type TableRequest,
} from '../ovsdb/index.ts';

/** As for the calls of database.ts: a loaded machine, a slow link. */
const limitMs = 15_000;

/** Tables of which the rows are to be at hand. */
export interface TablesRequest {
  readonly database: string;
  /** `unix:FILE`, `ssl:HOST:PORT`, …; several with commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /** Each with its columns, and which of its rows; what the release lacks is left out. */
  readonly tables: Readonly<Record<string, TableRequest>>;
}

/** The rows of this moment, as the server writes them, and its schema (RFC 7047 section 3.2). */
export interface TableContents {
  readonly schema: JsonObject;
  rows(table: string): Iterable<JsonObject>;
}

/**
 * Keeps the rows of some tables, and calls back when they are there and after every transaction that changed some. A connection that is lost is made anew,
 * and the rows stay meanwhile, until the function that it returns is called.
 */
export function followTables(
  { database, remote, credentials, tables }: TablesRequest,
  onChange: (contents: TableContents) => void,
): () => void {
  const session = openSession({ remotes: remote, database, limitMs, credentials });
  let schema: JsonObject = {};
  session.follow(async (client) => {
    // Asked before the mirror asks for the rows, and so answered before they are there.
    schema = (await client.call('get_schema', [database])) as JsonObject;
  });
  let isClosed = false;
  void mirrorOf(session, tables, () => isClosed).then((mirror) => {
    if (mirror === null) return;
    const tell = (): void => onChange({ schema, rows: (table) => mirror.table(table).rows() });
    mirror.onChange(tell);
    tell();
  });
  return () => {
    isClosed = true;
    session.close();
  };
}

/** The server may be away for as long as it likes: each try lasts its limit, or until the session is closed. */
async function mirrorOf(session: Session, tables: TablesRequest['tables'], isClosed: () => boolean) {
  while (!isClosed()) {
    const mirror = await openMirror(session, tables, limitMs).catch(() => null);
    if (mirror !== null) return mirror;
  }
  return null;
}
