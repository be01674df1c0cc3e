import { insert, mutate, type OvsdbClient, readNumber, readString, wait } from '../ovsdb/index.ts';
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
export async function attachUplink(client: OvsdbClient, { bridge, interface: name }: UplinkPort): Promise<void> {
  const monitor = await client.monitor('Open_vSwitch', { Interface: ['name', 'ofport', 'error'] });
  try {
    await client.transact('Open_vSwitch', [
      // The bridge is still there; else nothing is written.
      wait({
        table: 'Bridge',
        where: [['name', '==', bridge]],
        columns: ['name'],
        until: '==',
        rows: [{ name: bridge }],
        timeoutMs: 0,
      }),
      insert('Interface', { name, ofport_request: uplinkOfport }, { uuidName: 'interface' }),
      insert('Port', { name, interfaces: { namedUuid: 'interface' } }, { uuidName: 'port' }),
      mutate('Bridge', [['name', '==', bridge]], [['ports', 'insert', { namedUuid: 'port' }]]),
      askVswitchd,
    ]);
    await monitor.waitUntil(
      (tables) => {
        const row = tables.rows('Interface').find((entry) => entry.name === name);
        const error = readString(row?.error);
        if (error !== undefined) throw new Error(`Open vSwitch cannot carry ${name}: ${error}`);
        return (readNumber(row?.ofport) ?? -1) > 0;
      },
      { timeoutMs: portOpenMs, what: `vswitchd carries ${name}` },
    );
  } finally {
    await monitor.cancel().catch(() => undefined);
  }
}

/** Takes a NIC out of a bridge as one transaction and waits until vswitchd has let go of it; one that is not in it is fine. */
export async function detachUplink(client: OvsdbClient, { bridge, interface: name }: UplinkPort): Promise<void> {
  await takenOver(client, { timeoutMs: portClosedMs, what: `vswitchd lets go of ${name}` }, async () => {
    const { bridges } = await readOvsFacts(client);
    const row = bridges.find((entry) => entry.name === bridge);
    const gone = row?.ports.filter((port) => port.name === name) ?? [];
    if (row === undefined || gone.length === 0) return false;
    const ports = gone.map(({ uuid }) => ({ uuid }));
    await client.transact('Open_vSwitch', [
      mutate('Bridge', [['_uuid', '==', { uuid: row.uuid }]], [['ports', 'delete', ports]]),
      askVswitchd,
    ]);
    return true;
  });
}
