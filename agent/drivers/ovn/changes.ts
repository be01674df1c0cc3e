import { type Credentials, type JsonObject, openSession } from '../ovsdb/index.ts';

/** As for the calls of database.ts: a loaded machine, a slow link. */
const limitMs = 15_000;

/** A database of which changes are to be told. */
export interface Followed {
  readonly database: string;
  /** `unix:FILE`, `ssl:HOST:PORT`, …; several with commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /** What of it, by its schema: the `<monitor-cond-requests>` of ovsdb-server(7), section 4.1.12. */
  readonly requests: (schema: JsonObject) => Readonly<Record<string, unknown>>;
}

/**
 * Calls back after every change of what is followed, and whenever there is a connection (again): nobody has told of what happened before. No row is kept.
 * A connection that is lost is made anew, until the function that it returns is called.
 */
export function followChanges({ database, remote, credentials, requests }: Followed, onChange: () => void): () => void {
  const session = openSession({ remotes: remote, database, limitMs, credentials });
  session.follow(async (client) => {
    const schema = (await client.call('get_schema', [database])) as JsonObject;
    client.onNotice((method) => {
      if (method === 'update2') onChange();
    });
    await client.call('monitor_cond', [database, 'changes', requests(schema) as JsonObject]);
    onChange();
  });
  return () => session.close();
}
