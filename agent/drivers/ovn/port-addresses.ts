import { type Credentials, openSession, readStrings, type Session, select } from '../ovsdb/index.ts';
import { ovnMissing } from './database.ts';
import { fromOvn } from './ovn-errors.ts';

/**
 * Time limit of a query to a southbound database, which answers in milliseconds; 15 s allow for the compaction of its
 * file, and for a slow link between two nodes.
 */
const limitMs = 15_000;

/** Reader of the addresses that logical ports have in the southbound database. */
export interface PortAddresses {
  /**
   * Returns the column `mac` of a port's Port_Binding row (ovn-sb(5)). Each entry is a MAC with its addresses:
   * `0a:58:0a:2a:01:05 10.42.1.5`. Null if the row does not exist. Fails with `ovn-not-running`, `ovsdb-…` or
   * `certificates-refused`.
   */
  read(logicalPort: string): Promise<readonly string[] | null>;
  close(): void;
}

/**
 * Returns a reader that connects at the first query and keeps the connection. `remoteOf` returns the remote of the
 * database; null on a central node whose database is not running, for example during a boot.
 */
export function createPortAddresses(
  remoteOf: () => { readonly remote: string; readonly credentials?: Credentials } | null,
): PortAddresses {
  let opened: { readonly session: Session; readonly remote: string } | null = null;
  const open = () => {
    const place = remoteOf();
    if (place === null) throw ovnMissing('the southbound database', 'ovn-central');
    const { remote, credentials } = place;
    return { remote, session: openSession({ remotes: remote, database: 'OVN_Southbound', limitMs, credentials }) };
  };
  return {
    read: async (logicalPort) => {
      opened ??= open();
      const { session, remote } = opened;
      try {
        const where = [['logical_port', '==', logicalPort]] as const;
        const [rows] = await session.transact([select('Port_Binding', where, ['mac'])]);
        const [row] = rows;
        return row === undefined ? null : readStrings(row.mac);
      } catch (error) {
        throw fromOvn(`read the addresses of ${logicalPort}`, remote, error);
      }
    },
    close: () => opened?.session.close(),
  };
}
