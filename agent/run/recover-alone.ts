import { startDeadline } from '../deadline.ts';
import { readSmallFile, removeFile } from '../drivers/host/files/files.ts';
import { readKeyfiles } from '../drivers/host/files/keyfiles.ts';
import { currentBootId } from '../drivers/host/kernel/boot-id.ts';
import { isAgentError } from '../errors.ts';
import { microshiftScriptFact } from '../facts/make-observation.ts';
import type { LeftBridge } from '../model/left-bridge.ts';
import { bridges, bridgesOf, everyProfileId, ownerOf, userData } from '../model/names.ts';
import type { OvsFacts } from '../model/observation.ts';
import { bridgeForMicroShift } from '../plan/bridge/microshift-bridge.ts';
import { withBriefLock, withLock } from './lock.ts';
import { openTuning, withNode } from './node.ts';
import type { Reporter } from './options.ts';
import { runLimitMs } from './reconcile.ts';
import type { Say } from './reported-wait.ts';
import { endAfterReboot, recoverEarlierRuns, usableOpenJournals } from './rollback/recover.ts';
import { uninterrupted } from './signals.ts';

/** Directory of the profiles that are kept across boots. */
const diskProfiles = '/etc/NetworkManager/system-connections';
const profileDirectories = [
  diskProfiles,
  '/run/NetworkManager/system-connections',
  '/usr/lib/NetworkManager/system-connections',
];

/**
 * Recovers the open transactions of earlier runs and does nothing else. Prints nothing if no transaction is open.
 * `waiting` receives a message if the recovery has to wait for another run, or if a change can still be confirmed. No
 * signal stops the rollback.
 */
export function recoverNow(reporter: Reporter, waiting: Say): Promise<void> {
  const recover = async (): Promise<void> => {
    if (usableOpenJournals(reporter.say).length === 0) return;
    const deadline = startDeadline(runLimitMs);
    try {
      const rollBack = () => withNode((node) => recoverEarlierRuns(node, reporter, deadline));
      await uninterrupted('the recovery', waiting, rollBack);
    } catch (error) {
      // The error `busy` means that a change awaits confirmation. The change stays in effect.
      if (!isAgentError(error) || error.kind !== 'busy') throw error;
      waiting(error.message);
    } finally {
      deadline.clear();
    }
  };
  return withBriefLock('recover', recover, waiting);
}

/**
 * Recovers open transactions at boot, after the start of ovsdb-server and before ovs-vswitchd and NetworkManager start.
 * Otherwise ovs-vswitchd would put the NIC into a bridge that the database of Open vSwitch still has and that no
 * profile configures. Connects neither to ovs-vswitchd nor to NetworkManager.
 */
export function recoverAtBoot({ say, announce }: Reporter): Promise<void> {
  return withLock('recover --boot', async () => {
    const bootId = currentBootId();
    for (const record of usableOpenJournals(say)) if (record.header.bootId !== bootId) endAfterReboot(record, announce);
    for (const path of profilesOnDisk()) {
      removeFile(path);
      say(`removed ${path}: profiles of the bridge are kept in memory only`);
    }
    await removeOrphans(say);
  });
}

/**
 * Returns the paths of the agent's profiles that are on disk, for example after `nmcli connection modify`. The caller
 * deletes them, because NetworkManager would activate them at boot and create the bridge before the agent runs. After
 * the deletion, NetworkManager activates the administrator's profile on the NIC, and the agent's run at boot moves the
 * NIC.
 */
function profilesOnDisk(): readonly string[] {
  const keyfiles = readKeyfiles([diskProfiles]);
  const isOurs = (text: string): boolean => text.includes(`${userData.sourceProfile}=`);
  const ids = bridges
    .filter((names) => keyfiles.some(({ id, text }) => id === names.bridgeInterface && isOurs(text)))
    .flatMap(everyProfileId);
  return keyfiles.filter(({ id, text }) => ids.includes(id) || isOurs(text)).map(({ path }) => path);
}

/**
 * Removes the rows of each bridge whose profiles were lost in the reboot, unless MicroShift's script would create this
 * bridge; such a bridge is left to MicroShift. NetworkManager removes such rows as well, but only after it has begun to
 * configure the NIC.
 */
async function removeOrphans(say: Reporter['say']): Promise<void> {
  const ports = await openTuning().catch((error: unknown) => {
    // If ovsdb-server is not running at boot, the rows of bridges have no effect and can stay.
    if (isAgentError(error) && error.kind === 'ovsdb-unreachable') return null;
    throw error;
  });
  if (ports === null) return;
  try {
    const known = new Set(readKeyfiles(profileDirectories).map(({ uuid }) => uuid));
    const { ovs } = await ports.observe();
    const orphans = bridgesOf({ ovs }).flatMap(({ bridge: name }) => {
      const row = ovs.bridges.find((bridge) => bridge.name === name);
      const owner = row === undefined ? undefined : ownerOf(row);
      return owner !== undefined && !known.has(owner) ? [name] : [];
    });
    const left = leftToMicroShift(orphans, ovs);
    for (const bridge of left) await ports.ovs.releaseBridgeAtBoot(bridge);
    const gone = orphans.filter((name) => !left.some((entry) => entry.bridge === name));
    if (gone.length > 0) await ports.ovs.removeBridges(gone);
    const done = [
      ...(gone.length === 0 ? [] : [`removed ${gone.join(', ')} from`]),
      ...left.map(({ bridge }) => `gave ${bridge} back to MicroShift in`),
    ];
    for (const what of done)
      say(`${what} the database of Open vSwitch: its profiles were in memory and went with the last boot`);
  } finally {
    ports.close();
  }
}

/**
 * Returns the agent's bridges that MicroShift's script would create. They stay in the database of Open vSwitch, because
 * ports of other programs in them have to survive a boot.
 */
function leftToMicroShift(orphans: readonly string[], ovs: OvsFacts): readonly LeftBridge[] {
  const facts = { host: microshiftScriptFact((path) => readSmallFile(path)), ovs };
  return bridges
    .filter((names) => orphans.includes(names.bridge))
    .flatMap((names) => bridgeForMicroShift(names, facts) ?? []);
}
