import { existsSync } from 'node:fs';
import type { BridgeRow, LeftBridge } from '../../model/left-bridge.ts';
import type { OvsFacts } from '../../model/observation.ts';
import type { BridgeMarks } from '../../model/plan.ts';
import type { OvsColumn } from '../../model/tuning.ts';
import { readSmallFile } from '../host/files/files.ts';
import { connect, deleteRows, mutate, type OvsdbClient, setOf, uuid } from '../ovsdb/index.ts';
import { claimBridge } from './claim-bridge.ts';
import { readOvsFacts } from './facts.ts';
import { leaveBridge, releaseBridge, releaseBridgeAtBoot, renewInterface, unmarkBridge } from './leave-bridge.ts';
import { fromOvsdb, vswitchdNotResponding } from './ovs-errors.ts';
import { setKeys } from './set-keys.ts';
import { askVswitchd } from './taken-over.ts';
import { attachUplink, detachUplink, type UplinkPort } from './uplink-port.ts';

/** Directory of Open vSwitch's sockets. */
const runDirectory = '/run/openvswitch';
/**
 * Size limit of a pid file, in bytes: more than the digits of the largest pid (PID_MAX_LIMIT, 4194304) and a newline.
 */
const pidBytes = 16;
/**
 * Time limit for an answer of ovs-vswitchd. It answers on its control socket in milliseconds unless its main loop is
 * stuck; 10 s allow for a loaded machine.
 */
const vswitchdAnswerMs = 10_000;
/** Time limit for an answer of ovsdb-server. It answers in milliseconds; 10 s allow for the compaction of its file. */
const callTimeoutMs = 10_000;

/**
 * Access to Open vSwitch through its database. Every call settles; failures are AgentErrors (`ovsdb-…`,
 * `vswitchd-not-responding`).
 */
export interface OpenVSwitch {
  facts(): Promise<OvsFacts>;
  /**
   * Marks an existing bridge as NetworkManager's, with the UUIDs of these profiles, and sets these keys in external_ids
   * and other_config of the bridge.
   */
  claimBridge(name: string, owners: BridgeMarks, keys?: BridgeRow): Promise<void>;
  /** Replaces a bridge's internal interface by a new one, and waits until ovs-vswitchd has applied the change. */
  renewInterface(name: string): Promise<void>;
  /** Removes NetworkManager's mark from a bridge, so that NetworkManager does not remove it or its ports. */
  unmarkBridge(name: string): Promise<void>;
  /**
   * Removes NetworkManager's mark and the internal interface from a bridge, and keeps the ports of other programs. With
   * `isTaken`, waits until ovs-vswitchd has removed the interface.
   */
  releaseBridge(name: string, isTaken: boolean): Promise<void>;
  /**
   * Leaves a bridge to MicroShift at boot, before ovs-vswitchd and NetworkManager run. Replaces the internal interface
   * and all keys in external_ids and other_config of the bridge, so that NetworkManager's mark is removed. Removes the
   * NIC and every other kernel device from the bridge.
   */
  releaseBridgeAtBoot(bridge: LeftBridge): Promise<void>;
  /**
   * Creates a bridge with an internal interface, and with these keys in external_ids and other_config. On an existing
   * bridge, replaces all keys in the two columns by these, and adds the internal interface if it is missing. With
   * `isTaken`, waits until ovs-vswitchd has applied the change.
   */
  leaveBridge(bridge: LeftBridge, isTaken: boolean): Promise<void>;
  /** Adds a NIC to a bridge as a port with these external_ids, and waits until ovs-vswitchd has opened the NIC. */
  attachUplink(port: UplinkPort, externalIds?: Readonly<Record<string, string>>): Promise<void>;
  /** Removes a NIC from its bridge. With `isTaken`, waits until ovs-vswitchd has closed the NIC. */
  detachUplink(port: UplinkPort, isTaken: boolean): Promise<void>;
  /** Removes bridges with all their ports in one transaction; bridges that do not exist are ignored. */
  removeBridges(names: readonly string[]): Promise<void>;
  /**
   * Sets keys in a column of the table Open_vSwitch; a key with the value null is removed. Waits until ovs-vswitchd has
   * applied the change.
   */
  setKeys(column: OvsColumn, values: Readonly<Record<string, string | null>>): Promise<void>;
  /** Checks that ovs-vswitchd answers on its control socket; writes nothing. */
  probeVswitchd(): Promise<void>;
  close(): void;
}

/** Connects to the socket of ovsdb-server. Rejects with `ovsdb-unreachable`. */
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
    unmarkBridge: (name) => named(`release ${name}`, unmarkBridge(client, name)),
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

/**
 * Checks that ovs-vswitchd answers on its control socket. The socket uses JSON-RPC like the database (ovs-appctl(8)),
 * and its name contains the pid of ovs-vswitchd.
 */
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
    throw vswitchdNotResponding(`no answer from its control socket within ${vswitchdAnswerMs / 1000} s`, error);
  } finally {
    control.close();
  }
}

/**
 * Returns the pid in a file; null if the file exists but cannot be read, NaN if it is missing or contains no number.
 * Refuses a large file, because the directory of pid files belongs to Open vSwitch's own user, who can create any file
 * there.
 */
function readPid(path: string): number | null {
  try {
    return Number.parseInt(readSmallFile(path, pidBytes) ?? '', 10);
  } catch {
    return null;
  }
}
