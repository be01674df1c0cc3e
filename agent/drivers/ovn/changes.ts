import { type Credentials, type JsonObject, openSession } from '../ovsdb/index.ts';

/** Time limit for a call, which allows for a loaded machine and a slow link, as in database.ts. */
const limitMs = 15_000;

/** Database whose changes are to be reported. */
export interface Followed {
  readonly database: string;
  /** Remote: `unix:FILE`, `ssl:HOST:PORT`, …; several are separated by commas. */
  readonly remote: string;
  readonly credentials?: Credentials;
  /**
   * Returns the tables and columns to follow for a schema, as `<monitor-cond-requests>` of ovsdb-server(7), section
   * 4.1.12.
   */
  readonly requests: (schema: JsonObject) => Readonly<Record<string, unknown>>;
  /**
   * Returns true for an update that is to be reported: `<table-updates2>` of ovsdb-server(7), section 4.1.14. Without
   * this function, every update is reported.
   */
  readonly isNews?: (updates: unknown) => boolean;
}

/**
 * Calls `onChange` after every update that `isNews` accepts in the followed tables. Also calls `onChange` after every
 * new connection, because changes during an interruption are not reported. Keeps no rows. Connects again after a lost
 * connection. Runs until the returned function is called.
 */
export function followChanges(
  { database, remote, credentials, requests, isNews = () => true }: Followed,
  onChange: () => void,
): () => void {
  const session = openSession({ remotes: remote, database, limitMs, credentials });
  session.follow(async (client) => {
    const schema = (await client.call('get_schema', [database])) as JsonObject;
    client.onNotice((method, [, updates]) => {
      if (method === 'update2' && isNews(updates)) onChange();
    });
    await client.call('monitor_cond', [database, 'changes', requests(schema) as JsonObject]);
    onChange();
  });
  return () => session.close();
}
