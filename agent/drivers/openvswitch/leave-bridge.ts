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
 * Time limit for ovs-vswitchd to apply a change. It makes or removes a device in milliseconds; 10 s allow for a machine
 * that swaps.
 */
const takenOverMs = 10_000;
/** External id by which the agent recognizes its own bridges. */
const ownKey = 'microshift-net.profile';

/**
 * Removes NetworkManager's mark from a bridge, so that NetworkManager removes nothing of it (nm-ovsdb.c,
 * _delete_interface), and waits until NetworkManager has been sent the change. A bridge without the mark is left as it is.
 */
export async function unmarkBridge(client: OvsdbClient, name: string): Promise<void> {
  const change: Mutation = ['external_ids', 'delete', setOf([ownerKey])];
  await client.transact('Open_vSwitch', [mutate('Bridge', [['name', '==', name]], [change])]);
  await client.call('echo', []);
}

/**
 * Removes NetworkManager's mark from a bridge, and the bridge's own interface, which ends the active connection on it.
 * Flows and all other ports stay. With `isTaken`, the interface is gone when this resolves.
 */
export async function releaseBridge(client: OvsdbClient, name: string, isTaken: boolean): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === name);
  // A bridge with the agent's mark but without NetworkManager's has survived a restart of NetworkManager, with the
  // node's addresses.
  if (row === undefined || [ownerKey, ownKey].every((key) => row.externalIds[key] === undefined)) return;
  const local = row.ports.filter((port) => port.name === name).map((port) => uuid(port.uuid));
  // NetworkManager must receive the change of the mark first. In one update it would process the interface before the
  // bridge, and remove both.
  await unmarkBridge(client, name);
  const change = mutate('Bridge', [['_uuid', '==', uuid(row.uuid)]], [['ports', 'delete', setOf(local)]]);
  await takenOver(client, isTaken ? takenOverMs : null, [change]);
}

/**
 * Releases a bridge at boot, while neither ovs-vswitchd nor NetworkManager acts on the database, and so does not wait.
 * The bridge gets these keys and an interface of its own, and the NIC is removed from it.
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
 * Makes a bridge with these keys, or sets exactly these keys on an existing bridge and adds its own interface if it has
 * none. With `isTaken`, waits until ovs-vswitchd has applied the change.
 */
export async function leaveBridge(client: OvsdbClient, wanted: LeftBridge, isTaken: boolean): Promise<void> {
  const limitMs = isTaken ? takenOverMs : null;
  const { bridge: name, externalIds, otherConfig } = wanted;
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === name);
  if (row === undefined) {
    const keys = { external_ids: mapOf(externalIds), other_config: mapOf(otherConfig) };
    return takenOver(client, limitMs, [
      ...ownInterface(name),
      insert('Bridge', { name, ports: namedUuid('port'), fail_mode: 'standalone', ...keys }, 'bridge'),
      mutate('Open_vSwitch', [], [['bridges', 'insert', namedUuid('bridge')]]),
    ]);
  }
  const hasOwn = row.ports.some((port) => port.name === name);
  const added: readonly Mutation[] = hasOwn ? [] : [['ports', 'insert', namedUuid('port')]];
  const change = mutate('Bridge', [['_uuid', '==', uuid(row.uuid)]], [...keysOf(row, wanted), ...added]);
  return takenOver(client, limitMs, hasOwn ? [change] : [...ownInterface(name), change]);
}

/**
 * Makes a bridge's own interface again, in two transactions. In one transaction, ovs-vswitchd would keep the device,
 * because the name is the same.
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

/** Operations that insert the rows of the bridge's own interface, with its port named `port` in the transaction. */
function ownInterface(name: string): readonly Operation[] {
  return [
    insert('Interface', { name, type: 'internal' }, 'interface'),
    insert('Port', { name, interfaces: namedUuid('interface') }, 'port'),
  ];
}

/** Mutations that replace all keys of a bridge with the wanted ones. */
function keysOf(row: OvsBridge, { externalIds, otherConfig }: LeftBridge): readonly Mutation[] {
  return [
    ...replaceKeys('external_ids', externalIds, Object.keys(row.externalIds)),
    ...replaceKeys('other_config', otherConfig, Object.keys(row.otherConfig)),
  ];
}
