import {
  insert,
  mapOf,
  mutate,
  namedUuid,
  type OvsdbClient,
  readInteger,
  readString,
  select,
  setOf,
  uuid,
  wait,
} from '../ovsdb/index.ts';
import { readOvsFacts } from './facts.ts';
import { askVswitchd, takenOver } from './taken-over.ts';

/**
 * Time limit for opening a NIC as a port. ovs-vswitchd needs milliseconds; 10 s allow for a driver that resets the
 * device first.
 */
const portOpenMs = 10_000;
/** Time limit for the removal of a NIC from a bridge. A driver can take as long to close a NIC as to open it. */
const portClosedMs = 10_000;
/**
 * OpenFlow port number that is requested for the NIC. It must not change, because flows of ovn-kubernetes contain it.
 */
const uplinkOfport = 1;

/** NIC that is a port of a bridge. */
export interface UplinkPort {
  readonly bridge: string;
  readonly interface: string;
}

/**
 * Adds the NIC to the bridge in one transaction and waits until ovs-vswitchd has opened the NIC. The rows do not have
 * NetworkManager's key in external_ids, so NetworkManager does not treat the port as its own (nm-ovsdb.c). With this
 * key, NetworkManager would remove the port while another profile is active on the NIC.
 */
export async function attachUplink(
  client: OvsdbClient,
  { bridge, interface: name }: UplinkPort,
  externalIds: Readonly<Record<string, string>> = {},
): Promise<void> {
  const named = (wanted: string) => [['name', '==', wanted]] as const;
  await client.transact('Open_vSwitch', [
    // The wait operation is a precondition: the transaction fails if the bridge does not exist any more.
    wait({
      table: 'Bridge',
      where: named(bridge),
      columns: ['name'],
      until: '==',
      rows: [{ name: bridge }],
      timeout: 0,
    }),
    insert('Interface', { name, ofport_request: uplinkOfport }, 'interface'),
    insert('Port', { name, interfaces: namedUuid('interface'), external_ids: mapOf(externalIds) }, 'port'),
    mutate('Bridge', named(bridge), [['ports', 'insert', namedUuid('port')]]),
    askVswitchd,
  ]);
  const where = named(name);
  const [, [row]] = await client.transact('Open_vSwitch', [
    // The operation waits until ovs-vswitchd has set the OpenFlow port number, which is -1 after an error
    // (ovs-vswitchd.conf.db(5), ofport).
    wait({
      table: 'Interface',
      where,
      columns: ['ofport'],
      until: '!=',
      rows: [{ ofport: setOf([]) }],
      timeout: portOpenMs,
    }),
    select('Interface', where, ['ofport', 'error']),
  ]);
  const error = readString(row?.error);
  if (error === undefined && (readInteger(row?.ofport) ?? -1) > 0) return;
  throw new Error(`Open vSwitch cannot carry ${name}: ${error ?? 'it has no port number'}`);
}

/**
 * Removes a NIC from a bridge in one transaction. With `isTaken`, waits until ovs-vswitchd has closed the NIC. Succeeds
 * if the NIC is not in the bridge.
 */
export async function detachUplink(
  client: OvsdbClient,
  { bridge, interface: name }: UplinkPort,
  isTaken: boolean,
): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const row = bridges.find((entry) => entry.name === bridge);
  const gone = row?.ports.filter((port) => port.name === name) ?? [];
  if (row === undefined || gone.length === 0) return;
  const ports = setOf(gone.map((port) => uuid(port.uuid)));
  const change = mutate('Bridge', [['_uuid', '==', uuid(row.uuid)]], [['ports', 'delete', ports]]);
  await takenOver(client, isTaken ? portClosedMs : null, [change]);
}
