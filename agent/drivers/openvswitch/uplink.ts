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

/** Opening a NIC as a port takes vswitchd some milliseconds; 10 s is for a driver that resets the device first. */
const portOpenMs = 10_000;
/** The same for closing it. */
const portClosedMs = 10_000;
/** The port number that ovn-kubernetes' flows name stays the same. */
const uplinkOfport = 1;

/** A NIC in a bridge. */
export interface UplinkPort {
  readonly bridge: string;
  readonly interface: string;
}

/**
 * Adds the NIC to the bridge as one transaction and waits until vswitchd carries it. The rows have no external id of NetworkManager's: it
 * neither takes the NIC for a port of its own nor takes the port away while the NIC runs another profile (nm-ovsdb.c).
 */
export async function attachUplink(
  client: OvsdbClient,
  { bridge, interface: name }: UplinkPort,
  externalIds: Readonly<Record<string, string>> = {},
): Promise<void> {
  const named = (wanted: string) => [['name', '==', wanted]] as const;
  await client.transact('Open_vSwitch', [
    // The bridge is still there; else nothing is written.
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
    // vswitchd fills it in whatever becomes of the NIC: -1 stands beside an error (ovs-vswitchd.conf.db(5), ofport).
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

/** Takes a NIC out of a bridge as one transaction; `isTaken`: and waits until vswitchd has let go of it. One that is not in it is fine. */
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
