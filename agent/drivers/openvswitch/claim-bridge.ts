import type { BridgeRow } from '../../model/left-bridge.ts';
import type { BridgeMarks } from '../../model/plan.ts';
import { mutate, type OvsdbClient } from '../ovsdb/index.ts';
import { ownerKey, replaceKeys } from './replace-keys.ts';
import { askVswitchd } from './taken-over.ts';

/**
 * Marks the rows of a bridge, and of the port and interface of the same name, as NetworkManager's, in one transaction.
 * An activation of NetworkManager's profiles for the bridge then finds the rows and inserts none; without the marks,
 * the activation would fail because the names are in use. `keys` are additional keys of the columns external_ids and
 * other_config of the bridge. When the promise resolves, ovsdb-server has sent the change to NetworkManager.
 */
export async function claimBridge(
  client: OvsdbClient,
  name: string,
  owners: BridgeMarks,
  keys: BridgeRow = { externalIds: {}, otherConfig: {} },
): Promise<void> {
  const named = [['name', '==', name]] as const;
  const mark = (id: string): Readonly<Record<string, string>> => ({ [ownerKey]: id });
  await client.transact('Open_vSwitch', [
    mutate('Bridge', named, [
      ...replaceKeys('external_ids', { ...keys.externalIds, ...mark(owners.bridge) }),
      ...replaceKeys('other_config', keys.otherConfig),
    ]),
    mutate('Port', named, replaceKeys('external_ids', mark(owners.port))),
    mutate('Interface', named, replaceKeys('external_ids', mark(owners.interface))),
    askVswitchd,
  ]);
  // The answer to `echo` shows that ovsdb-server has sent the update for the transaction to every monitor.
  await client.call('echo', []);
}
