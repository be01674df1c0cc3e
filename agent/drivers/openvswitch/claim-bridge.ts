import type { BridgeMarks } from '../../model/plan.ts';
import { mapOf, mutate, type OvsdbClient, setOf } from '../ovsdb/index.ts';

/** The external id by which NetworkManager knows a row for its own (nm-ovsdb.c). */
const ownerKey = 'NM.connection.uuid';

/**
 * Marks the rows of a bridge, and of the port and interface of its name, as NetworkManager's, in one transaction. Activating those profiles
 * then finds the rows and inserts none: without the marks the names would be taken. When this resolves, NetworkManager has the news.
 */
export async function claimBridge(client: OvsdbClient, name: string, owners: BridgeMarks): Promise<void> {
  const rows = [
    ['Bridge', owners.bridge],
    ['Port', owners.port],
    ['Interface', owners.interface],
  ] as const;
  await client.transact(
    'Open_vSwitch',
    rows.map(([table, uuid]) =>
      // An insert does not replace the value of a key that is there (RFC 7047 section 5.1).
      mutate(
        table,
        [['name', '==', name]],
        [
          ['external_ids', 'delete', setOf([ownerKey])],
          ['external_ids', 'insert', mapOf({ [ownerKey]: uuid })],
        ],
      ),
    ),
  );
  // ovsdb-server sends the news of a commit to everybody who follows it before it answers what came after it.
  await client.call('echo', []);
}
