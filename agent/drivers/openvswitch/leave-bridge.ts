import { devicesIn } from '../../model/bridge-devices.ts';
import type { LeftBridge } from '../../model/left-bridge.ts';
import type { OvsBridge } from '../../model/observation.ts';
import {
  insert,
  type Mutation,
  mapOf,
  mutate,
  namedUuid,
  type Operation,
  type OvsdbClient,
  setOf,
  uuid,
} from '../ovsdb/index.ts';
import { readOvsFacts } from './facts.ts';
import { ownerKey, replaceKeys } from './replace-keys.ts';
import { takenOver } from './taken-over.ts';

/**
 * Time limit for ovs-vswitchd to apply a change. It creates or removes a device in milliseconds; 10 s allow for a
 * machine that swaps.
 */
const takenOverMs = 10_000;
/** Key in external_ids by which the agent recognizes its own bridges. */
const ownKey = 'microshift-net.profile';

/**
 * Removes NetworkManager's mark from a bridge, so that NetworkManager does not remove it or its ports (nm-ovsdb.c,
 * _delete_interface). Waits until ovsdb-server has sent the change to NetworkManager. Does not change a bridge without
 * the mark.
 */
export async function unmarkBridge(client: OvsdbClient, name: string): Promise<void> {
  const change: Mutation = ['external_ids', 'delete', setOf([ownerKey])];
  await client.transact('Open_vSwitch', [mutate('Bridge', [['name', '==', name]], [change])]);
  await client.call('echo', []);
}

/**
 * Removes NetworkManager's mark and the internal interface from a bridge; the active connection on that interface ends.
 * Flows and all other ports stay. With `isTaken`, waits until ovs-vswitchd has removed the interface. Does nothing if
 * the bridge does not exist, or if its external_ids have neither NetworkManager's mark nor the key by which the agent
 * recognizes its own bridges.
 */
export async function releaseBridge(client: OvsdbClient, name: string, isTaken: boolean): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === name);
  // Before a restart of NetworkManager, NetworkManager's mark is removed from a bridge of the agent, but not the
  // agent's own key. A bridge with only the agent's key is changed as well, because it still has the node's addresses.
  if (row === undefined || [ownerKey, ownKey].every((key) => row.externalIds[key] === undefined)) return;
  const local = row.ports.filter((port) => port.name === name).map((port) => uuid(port.uuid));
  // NetworkManager's mark is removed before the interface, by a transaction of its own. If one update contained both
  // removals, NetworkManager would process the interface before the bridge, and remove the bridge as well.
  await unmarkBridge(client, name);
  const change = mutate('Bridge', [['_uuid', '==', uuid(row.uuid)]], [['ports', 'delete', setOf(local)]]);
  await takenOver(client, isTaken ? takenOverMs : null, [change]);
}

/**
 * Leaves a bridge to MicroShift at boot, before ovs-vswitchd and NetworkManager use the database; the function does not
 * wait for them. Replaces the internal interface and all keys in external_ids and other_config of the bridge. Removes
 * the NIC and every other kernel device from the bridge. Does nothing if the bridge does not exist.
 */
export async function releaseBridgeAtBoot(client: OvsdbClient, wanted: LeftBridge): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === wanted.bridge);
  if (row === undefined) return;
  const names = [row.name, ...devicesIn(row).map((entry) => entry.name)];
  const gone = row.ports.filter((port) => names.includes(port.name)).map((port) => uuid(port.uuid));
  await client.transact('Open_vSwitch', [
    ...ownInterface(row.name),
    mutate(
      'Bridge',
      [['_uuid', '==', uuid(row.uuid)]],
      [...keysOf(row, wanted), ['ports', 'delete', setOf(gone)], ['ports', 'insert', namedUuid('port')]],
    ),
  ]);
}

/**
 * Creates a bridge with an internal interface, and with these keys in external_ids and other_config. On an existing
 * bridge, replaces all keys in the two columns by these, and adds the internal interface if it is missing. With
 * `isTaken`, waits until ovs-vswitchd has applied the change.
 */
export async function leaveBridge(client: OvsdbClient, wanted: LeftBridge, isTaken: boolean): Promise<void> {
  const limitMs = isTaken ? takenOverMs : null;
  const { bridge: name, datapathType = '', externalIds, otherConfig } = wanted;
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === name);
  if (row === undefined) {
    const keys = { external_ids: mapOf(externalIds), other_config: mapOf(otherConfig) };
    return takenOver(client, limitMs, [
      ...ownInterface(name),
      insert(
        'Bridge',
        { name, ports: namedUuid('port'), fail_mode: 'standalone', datapath_type: datapathType, ...keys },
        'bridge',
      ),
      mutate('Open_vSwitch', [], [['bridges', 'insert', namedUuid('bridge')]]),
    ]);
  }
  const hasOwn = row.ports.some((port) => port.name === name);
  const added: readonly Mutation[] = hasOwn ? [] : [['ports', 'insert', namedUuid('port')]];
  const change = mutate('Bridge', [['_uuid', '==', uuid(row.uuid)]], [...keysOf(row, wanted), ...added]);
  return takenOver(client, limitMs, hasOwn ? [change] : [...ownInterface(name), change]);
}

/**
 * Replaces a bridge's internal interface by a new one, in two transactions. After a single transaction, ovs-vswitchd
 * would keep the device, because the name is the same.
 */
export async function renewInterface(client: OvsdbClient, name: string): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const local = bridges.flatMap(({ ports }) => ports).filter((port) => port.name === name);
  const bridge = [['name', '==', name]] as const;
  await takenOver(client, takenOverMs, [
    mutate('Bridge', bridge, [['ports', 'delete', setOf(local.map((port) => uuid(port.uuid)))]]),
  ]);
  const added = mutate('Bridge', bridge, [['ports', 'insert', namedUuid('port')]]);
  await takenOver(client, takenOverMs, [...ownInterface(name), added]);
}

/**
 * Returns the operations that insert the rows of a bridge's internal interface. Other operations of the transaction
 * refer to the Port row by the named UUID `port`.
 */
function ownInterface(name: string): readonly Operation[] {
  return [
    insert('Interface', { name, type: 'internal' }, 'interface'),
    insert('Port', { name, interfaces: namedUuid('interface') }, 'port'),
  ];
}

/** Returns the mutations that replace all keys in external_ids and other_config of a bridge by the wanted ones. */
function keysOf(row: OvsBridge, { externalIds, otherConfig }: LeftBridge): readonly Mutation[] {
  return [
    ...replaceKeys('external_ids', externalIds, Object.keys(row.externalIds)),
    ...replaceKeys('other_config', otherConfig, Object.keys(row.otherConfig)),
  ];
}
