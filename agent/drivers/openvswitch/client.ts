import { closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import type { OvsFacts } from '../../model/observation.ts';
import {
  connect,
  deleteRows,
  insert,
  mapOf,
  mutate,
  type OvsdbClient,
  readNumber,
  readString,
  type Tap,
  wait,
} from '../ovsdb/index.ts';
import { fromOvsdb, vswitchdNotResponding } from './errors.ts';
import { readOvsFacts } from './facts.ts';
import { setOtherConfig } from './other-config.ts';
import { type BridgeLoan, borrowBridge, returnBridge } from './return-uplink.ts';
import { databaseSocket, runDirectory } from './socket.ts';

/** Digits of the largest pid (PID_MAX_LIMIT, 4194304) and a newline, with room to spare. */
const pidBytes = 16;
/** vswitchd answers its control socket in milliseconds unless its main loop is stuck; 3 s allows for a loaded machine. */
const vswitchdAnswerMs = 3_000;
/** Opening a NIC as a port takes vswitchd some milliseconds; 10 s is for a driver that resets the device first. */
const portOpenMs = 10_000;
/** ovsdb-server answers in milliseconds; 5 s is for one that compacts its file. */
const callTimeoutMs = 5_000;

export interface UplinkAttachment {
  readonly bridge: string;
  readonly interface: string;
  /** UUIDs of the NetworkManager profiles the new rows belong to. */
  readonly portProfile: string;
  readonly interfaceProfile: string;
}

/** Open vSwitch over its database. Every call settles, failures are AgentErrors (`ovsdb-…`, `vswitchd-not-responding`). */
export interface OpenVSwitch {
  facts(): Promise<OvsFacts>;
  /**
   * Adds the NIC to the bridge as one transaction, calls back the moment every client of the database knows it, and waits until vswitchd
   * carries it. The rows carry the external ids by which
   * NetworkManager knows its own (NM.connection.uuid), so that it takes them over and removes them when it cleans up.
   */
  attachUplink(attachment: UplinkAttachment, onCommitted: () => void): Promise<void>;
  /** Hides the bridge from NetworkManager, so that it leaves its ports alone; returnBridge undoes it. */
  borrowBridge(loan: BridgeLoan): Promise<void>;
  /** Gives a borrowed bridge back to NetworkManager, without the port where one is named, and waits until vswitchd has let go of it. */
  returnBridge(loan: BridgeLoan, port: string | null): Promise<void>;
  /** Removes bridges with everything in them as one transaction; those that are not there are fine. */
  removeBridges(names: readonly string[]): Promise<void>;
  /** Sets and removes (null) keys of Open_vSwitch.other_config and waits until vswitchd has taken them over. */
  setOtherConfig(values: Readonly<Record<string, string | null>>): Promise<void>;
  /** Asks ovs-vswitchd itself whether it is alive; writes nothing. */
  probeVswitchd(): Promise<void>;
  close(): void;
}

/** Connects to ovsdb-server's socket. Rejects with `ovsdb-unreachable`. */
export async function openOpenVSwitch(directory = runDirectory, tap?: Tap): Promise<OpenVSwitch> {
  const limits = { connectTimeoutMs: callTimeoutMs, callTimeoutMs };
  const client = await connect(databaseSocket(directory), tap === undefined ? limits : { ...limits, tap }).catch(
    (error: unknown) => {
      throw fromOvsdb('connect', error);
    },
  );
  const named = <T>(what: string, call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw fromOvsdb(what, error);
    });
  return {
    facts: () => named('read its bridges', readOvsFacts(client)),
    attachUplink: (attachment, onCommitted) =>
      named(`put ${attachment.interface} into ${attachment.bridge}`, attachUplink(client, attachment, onCommitted)),
    borrowBridge: (loan) => named(`keep the ports of ${loan.bridge}`, borrowBridge(client, loan)),
    returnBridge: (loan, port) =>
      named(`take ${port ?? 'nothing'} out of ${loan.bridge}`, returnBridge(client, loan, port)),
    removeBridges: (names) => named(`remove ${names.join(', ')}`, removeBridges(client, names)),
    setOtherConfig: (values) => named(`set ${Object.keys(values).join(', ')}`, setOtherConfig(client, values)),
    probeVswitchd: () => probeVswitchd(directory),
    close: () => client.close(),
  };
}

async function attachUplink(client: OvsdbClient, attachment: UplinkAttachment, onCommitted: () => void): Promise<void> {
  const { bridge, interface: name, portProfile, interfaceProfile } = attachment;
  const monitor = await client.monitor('Open_vSwitch', { Interface: ['name', 'ofport', 'error'] });
  try {
    await client.transact('Open_vSwitch', [
      // The bridge is still there and still NetworkManager's; else nothing is written.
      wait({
        table: 'Bridge',
        where: [['name', '==', bridge]],
        columns: ['name'],
        until: '==',
        rows: [{ name: bridge }],
        timeoutMs: 0,
      }),
      insert(
        'Interface',
        { name, ofport_request: 1, external_ids: mapOf({ 'NM.connection.uuid': interfaceProfile }) },
        { uuidName: 'interface' },
      ),
      insert(
        'Port',
        { name, interfaces: { namedUuid: 'interface' }, external_ids: mapOf({ 'NM.connection.uuid': portProfile }) },
        { uuidName: 'port' },
      ),
      mutate('Bridge', [['name', '==', bridge]], [['ports', 'insert', { namedUuid: 'port' }]]),
      mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]),
    ]);
    // NetworkManager compares with its own copy of the rows and fails when they are newer.
    await client.echo();
    onCommitted();
    await monitor.waitUntil(
      (tables) => {
        const row = [...tables.rows('Interface').values()].find((entry) => entry.name === name);
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

async function removeBridges(client: OvsdbClient, names: readonly string[]): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const gone = bridges.filter((bridge) => names.includes(bridge.name));
  if (gone.length === 0) return;
  await client.transact('Open_vSwitch', [
    mutate('Open_vSwitch', [], [['bridges', 'delete', gone.map((bridge) => ({ uuid: bridge.uuid }))]]),
    ...gone.map((bridge) => deleteRows('Bridge', [['_uuid', '==', { uuid: bridge.uuid }]])),
    mutate('Open_vSwitch', [], [['next_cfg', '+=', 1]]),
  ]);
}

/** ovs-vswitchd's control socket speaks JSON-RPC like the database (ovs-appctl(8)); its name has the daemon's pid in it. */
export async function probeVswitchd(directory: string): Promise<void> {
  const pid = readPid(`${directory}/ovs-vswitchd.pid`);
  const socket = `ovs-vswitchd.${pid}.ctl`;
  if (pid === null || !existsSync(`${directory}/${socket}`)) throw vswitchdNotResponding('it is not running');
  const limits = { connectTimeoutMs: vswitchdAnswerMs, callTimeoutMs: vswitchdAnswerMs };
  const control = await connect(`unix:${directory}/${socket}`, limits).catch((error: unknown) => {
    throw vswitchdNotResponding('its control socket refuses connections', error);
  });
  try {
    await control.call('version', []);
  } catch (error) {
    throw vswitchdNotResponding(`no answer from its control socket within ${vswitchdAnswerMs} ms`, error);
  } finally {
    control.close();
  }
}

function readPid(path: string): number | null {
  try {
    // The folder belongs to Open vSwitch's own user, who could put anything there: a FIFO must not hang, a device not fill the memory.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const digits = Buffer.alloc(pidBytes);
      return Number.parseInt(digits.toString('latin1', 0, readSync(descriptor, digits, 0, pidBytes, 0)), 10);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  }
}
