import type { OpenListener } from '../model/overlay.ts';
import type { DatabaseRows } from '../model/rows.ts';
import { indexRows, textOf } from './rows/row-index.ts';
import { isOwnedBy } from './rows/tags.ts';

/** Connection methods that reach a database on this node only (ovsdb(7), connection methods). */
const localMethods = ['unix', 'punix', 'fd'];

/**
 * Returns the connections of a central database over which clients on other hosts, or users of this node other than
 * root, may write every row. Leaves out this product's own connections, and the connections of the southbound database
 * with OVN's role for nodes (ovn-sb(5), Connection, role). `remotes` are the connections from the server's command line
 * or added at run time (ovsdb-server(8), ovsdb-server/list-remotes), which have no role.
 */
export function openListeners(rows: DatabaseRows, remotes: readonly string[], owner: string): readonly OpenListener[] {
  const { database } = rows;
  const inRows = indexRows(rows)
    .all('Connection')
    .filter((row) => !isOwnedBy(row, owner))
    .filter((row) => database !== 'OVN_Southbound' || textOf(row, 'role') !== 'ovn-controller')
    .map((row) => ({ database, target: textOf(row, 'target'), isInDatabase: true }));
  const ofServer = remotes
    .filter((target) => !target.startsWith('db:'))
    .map((target) => ({ database, target, isInDatabase: false }));
  return [...inRows, ...ofServer].filter(({ target }) => !localMethods.includes(target.split(':')[0] ?? ''));
}

/** Returns a sentence about a connection over which other hosts or users may write every row of a central database. */
export function listenerFault({ database, target }: OpenListener): string {
  const name = database === 'OVN_Northbound' ? 'northbound' : 'southbound';
  return `the ${name} database is open at ${target}: any client that connects there may write every row of the cluster`;
}

/**
 * Returns the hint that says how to close a connection over which other hosts or users may write every row. If a row of
 * the database defines the connection, the command in the hint deletes all rows of connections; `overlay apply` then
 * adds those of this product again.
 */
export function listenerHint({ database, target, isInDatabase }: OpenListener): string {
  const short = database === 'OVN_Northbound' ? 'nb' : 'sb';
  if (isInDatabase)
    return `close it: ovn-${short}ctl del-connection; then, in a cluster that has begun: microshift-net overlay apply`;
  return `close it: ovn-appctl -t /run/ovn/ovn${short}_db.ctl ovsdb-server/remove-remote ${target}, and remove it from the options with which the server is started (OVN_CTL_OPTS, ovn-ctl(8))`;
}
