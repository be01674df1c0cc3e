import { existsSync } from 'node:fs';
import type { BridgeRow, LeftBridge } from '../../model/left-bridge.ts';
import type { OvsFacts } from '../../model/observation.ts';
import type { BridgeMarks } from '../../model/plan.ts';
import type { OvsColumn } from '../../model/tuning.ts';
import { readSmallFile } from '../host/files.ts';
import { connect, deleteRows, mutate, type OvsdbClient, setOf, uuid } from '../ovsdb/index.ts';
import { claimBridge } from './claim-bridge.ts';
import { fromOvsdb, vswitchdNotResponding } from './errors.ts';
import { readOvsFacts } from './facts.ts';
import { leaveBridge, releaseBridge, releaseBridgeAtBoot, renewInterface } from './left-bridge.ts';
import { setKeys } from './set-keys.ts';
import { askVswitchd } from './taken-over.ts';
import { attachUplink, detachUplink, type UplinkPort } from './uplink.ts';

/** Where Open vSwitch keeps its sockets. */
const runDirectory = '/run/openvswitch';
/** Digits of the largest pid (PID_MAX_LIMIT, 4194304) and a newline, with room to spare. */
const pidBytes = 16;
/** vswitchd answers its control socket in milliseconds unless its main loop is stuck; 3 s allows for a loaded machine. */
const vswitchdAnswerMs = 3_000;
/** ovsdb-server answers in milliseconds; 5 s is for one that compacts its file. */
const callTimeoutMs = 5_000;

/** Open vSwitch over its database. Every call settles, failures are AgentErrors (`ovsdb-…`, `vswitchd-not-responding`). */
export interface OpenVSwitch {
  facts(): Promise<OvsFacts>;
  /** Makes a bridge that is there NetworkManager's, under these profiles, with these keys in its row. */
  claimBridge(name: string, owners: BridgeMarks, keys?: BridgeRow): Promise<void>;
  /** Makes a bridge's own interface anew, and waits until vswitchd has. */
  renewInterface(name: string): Promise<void>;
  /** Takes a bridge out of NetworkManager's hands with what others put into it; its own interface goes, `isTaken`: from the kernel, too. */
  releaseBridge(name: string, isTaken: boolean): Promise<void>;
  /** The same before vswitchd and NetworkManager run, and what leaveBridge does besides; a NIC goes out of it. */
  releaseBridgeAtBoot(bridge: LeftBridge): Promise<void>;
  /** Gives a bridge these keys and an interface of its own, or makes it; `isTaken`: and waits until vswitchd has. */
  leaveBridge(bridge: LeftBridge, isTaken: boolean): Promise<void>;
  /** Puts a NIC into a bridge, as a port with these keys, and waits until vswitchd carries it. */
  attachUplink(port: UplinkPort, externalIds?: Readonly<Record<string, string>>): Promise<void>;
  /** Takes a NIC out of its bridge; `isTaken`: and waits until vswitchd has let go of it. */
  detachUplink(port: UplinkPort, isTaken: boolean): Promise<void>;
  /** Removes bridges with everything in them as one transaction; those that are not there are fine. */
  removeBridges(names: readonly string[]): Promise<void>;
  /** Sets and removes (null) keys in the row of Open vSwitch itself and waits until vswitchd has taken them over. */
  setKeys(column: OvsColumn, values: Readonly<Record<string, string | null>>): Promise<void>;
  /** Asks ovs-vswitchd itself whether it is alive; writes nothing. */
  probeVswitchd(): Promise<void>;
  close(): void;
}

/** Connects to ovsdb-server's socket. Rejects with `ovsdb-unreachable`. */
export async function openOpenVSwitch(directory = runDirectory): Promise<OpenVSwitch> {
  const client = await connect(`${directory}/db.sock`, callTimeoutMs).catch((error: unknown) => {
    throw fromOvsdb('connect', error);
  });
  const named = <T>(what: string, call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      throw fromOvsdb(what, error);
    });
  return {
    facts: () => named('read its bridges', readOvsFacts(client)),
    claimBridge: (name, owners, keys) => named(`claim ${name}`, claimBridge(client, name, owners, keys)),
    renewInterface: (name) => named(`renew the interface of ${name}`, renewInterface(client, name)),
    releaseBridge: (name, isTaken) => named(`release ${name}`, releaseBridge(client, name, isTaken)),
    releaseBridgeAtBoot: (bridge) => named(`release ${bridge.bridge}`, releaseBridgeAtBoot(client, bridge)),
    leaveBridge: (bridge, isTaken) => named(`let ${bridge.bridge} go`, leaveBridge(client, bridge, isTaken)),
    attachUplink: (port, keys) => named(`put ${port.interface} into ${port.bridge}`, attachUplink(client, port, keys)),
    detachUplink: (port, isTaken) =>
      named(`take ${port.interface} out of ${port.bridge}`, detachUplink(client, port, isTaken)),
    removeBridges: (names) => named(`remove ${names.join(', ')}`, removeBridges(client, names)),
    setKeys: (column, values) => named(`set ${Object.keys(values).join(', ')}`, setKeys(client, column, values)),
    probeVswitchd: () => probeVswitchd(directory),
    close: () => client.close(),
  };
}

async function removeBridges(client: OvsdbClient, names: readonly string[]): Promise<void> {
  const { bridges } = await readOvsFacts(client);
  const gone = bridges.filter((bridge) => names.includes(bridge.name));
  if (gone.length === 0) return;
  await client.transact('Open_vSwitch', [
    mutate('Open_vSwitch', [], [['bridges', 'delete', setOf(gone.map((bridge) => uuid(bridge.uuid)))]]),
    ...gone.map((bridge) => deleteRows('Bridge', [['_uuid', '==', uuid(bridge.uuid)]])),
    askVswitchd,
  ]);
}

/** ovs-vswitchd's control socket speaks JSON-RPC like the database (ovs-appctl(8)); its name has the daemon's pid in it. */
export async function probeVswitchd(directory = runDirectory): Promise<void> {
  const pid = readPid(`${directory}/ovs-vswitchd.pid`);
  const socket = `ovs-vswitchd.${pid}.ctl`;
  if (pid === null || !existsSync(`${directory}/${socket}`)) throw vswitchdNotResponding('it is not running');
  const control = await connect(`${directory}/${socket}`, vswitchdAnswerMs).catch((error: unknown) => {
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

/** Returns the PID in a file; null if the path holds no readable PID. The folder belongs to Open vSwitch's own user, who can put anything there. */
function readPid(path: string): number | null {
  try {
    return Number.parseInt(readSmallFile(path, pidBytes) ?? '', 10);
  } catch {
    return null;
  }
}
