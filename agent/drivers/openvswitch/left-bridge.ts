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

/** Making or removing a device takes vswitchd some milliseconds; 10 s is for a machine that swaps. */
const takenOverMs = 10_000;
/** The one by which the agent knows a bridge of its own. */
const ownKey = 'microshift-net.profile';

/**
 * Takes a bridge of NetworkManager's out of its hands: without its mark NetworkManager removes nothing of the bridge (nm-ovsdb.c,
 * _delete_interface), and with the bridge's own interface ends what it runs there. Flows and all other ports stay. `isTaken`: when this resolves the
 * interface is gone.
 */
export async function releaseBridge(client: OvsdbClient, name: string, isTaken: boolean): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((bridge) => bridge.name === name);
  // Without NetworkManager's mark, but with ours, it has stayed over a restart of NetworkManager, with the node's addresses.
  if (row === undefined || [ownerKey, ownKey].every((key) => row.externalIds[key] === undefined)) return;
  const local = row.ports.filter((port) => port.name === name).map((port) => uuid(port.uuid));
  const where = [['_uuid', '==', uuid(row.uuid)]] as const;
  await client.transact('Open_vSwitch', [mutate('Bridge', where, [['external_ids', 'delete', setOf([ownerKey])]])]);
  // NetworkManager learns of the mark first: in one piece of news it would look at the interface before the bridge, and remove both.
  await client.call('echo', []);
  const change = mutate('Bridge', where, [['ports', 'delete', setOf(local)]]);
  await takenOver(client, isTaken ? takenOverMs : null, [change]);
}

/**
 * The same at boot, when neither vswitchd nor NetworkManager acts on the database yet, so that nobody is waited for: the bridge gets these keys and
 * an interface of its own, and the NIC goes out of it.
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
 * Makes a bridge with these keys, or gives one that is there exactly these, and an interface of its own if it has none. `isTaken`: and waits until
 * vswitchd has made it.
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

/** Makes a bridge's own interface anew, in two transactions: in one, vswitchd would keep the device, as it is of the same name. */
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

/** New rows for the interface that a bridge itself is, in a port called `port` in the transaction. */
function ownInterface(name: string): readonly Operation[] {
  return [
    insert('Interface', { name, type: 'internal' }, 'interface'),
    insert('Port', { name, interfaces: namedUuid('interface') }, 'port'),
  ];
}

/** Exactly the wanted keys. */
function keysOf(row: OvsBridge, { externalIds, otherConfig }: LeftBridge): readonly Mutation[] {
  return [
    ...replaceKeys('external_ids', externalIds, Object.keys(row.externalIds)),
    ...replaceKeys('other_config', otherConfig, Object.keys(row.otherConfig)),
  ];
}
