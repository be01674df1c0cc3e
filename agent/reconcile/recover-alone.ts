import { journalDirectory } from '../apply/journal.ts';
import { lockDirectory, takeLock } from '../apply/lock.ts';
import { openNode, openTuning } from '../assemble.ts';
import { startDeadline } from '../deadline.ts';
import { removeFile } from '../drivers/host/files.ts';
import { readKeyfiles } from '../drivers/host/keyfiles.ts';
import { isAgentError } from '../errors.ts';
import type { JournalRecord } from '../model/journal.ts';
import type { WantedBridge } from '../model/plan.ts';
import { bridges } from '../plan/names.ts';
import { isBorrowed, ownerOf } from '../plan/ownership.ts';
import { runLimitMs } from './apply.ts';
import { currentBootId, endAfterReboot, recoverEarlierRuns, type Telling, usableOpenJournals } from './recover.ts';

/** Where profiles outlive a boot. */
const diskProfiles = '/etc/NetworkManager/system-connections';
const profileDirectories = [
  diskProfiles,
  '/run/NetworkManager/system-connections',
  '/usr/lib/NetworkManager/system-connections',
];

/** Ends what an earlier run left open, and does nothing else. Says nothing when there is nothing. */
export async function recoverNow(telling: Telling): Promise<void> {
  const lock = await takeLock(lockDirectory, 'recover');
  try {
    if (usableOpenJournals(journalDirectory, telling.say).length === 0) return;
    const deadline = startDeadline(runLimitMs);
    const node = await openNode();
    try {
      await recoverEarlierRuns(node, journalDirectory, telling, deadline);
    } catch (error) {
      // A try that still waits to be confirmed is not ours to end.
      if (!isAgentError(error) || error.kind !== 'busy') throw error;
      telling.say(error.message);
    } finally {
      deadline.clear();
      node.close();
    }
  } finally {
    lock.release();
  }
}

/**
 * The same at boot, between ovsdb-server and whoever acts on its database: ovs-vswitchd would take the NIC into a bridge that nobody
 * configures any more, NetworkManager would connect the half of a bridge that was written to disk. Asks neither of them.
 */
export async function recoverAtBoot({ say, announce }: Telling): Promise<void> {
  const lock = await takeLock(lockDirectory, 'recover --boot');
  try {
    const bootId = currentBootId();
    for (const record of usableOpenJournals(journalDirectory, say)) {
      if (record.header.bootId === bootId) continue;
      for (const path of halfWritten(record)) {
        removeFile(path);
        say(`removed ${path}: the run that wrote it did not get to the rest`);
      }
      endAfterReboot(journalDirectory, record, announce);
    }
    await removeOrphans(say);
  } finally {
    lock.release();
  }
}

/** Files of bridges of which a run had written, or deleted, only some profiles when the machine went down. */
function halfWritten({ header }: JournalRecord): readonly string[] {
  const onDisk = profileFiles([diskProfiles]);
  const involved: readonly WantedBridge[] = [...header.plan.wanted.bridges, ...header.previous.bridges];
  return bridges.flatMap(({ bridge }) => {
    const uuids = new Set(
      involved.filter((entry) => entry.bridge === bridge).flatMap((entry) => entry.profiles.map(({ uuid }) => uuid)),
    );
    const files = [...uuids].flatMap((uuid) => onDisk.get(uuid) ?? []);
    return files.length === uuids.size ? [] : files;
  });
}

/** Bridge rows of profiles that went with the last boot: NetworkManager removes them as well, but only after it has begun to configure the NIC. */
async function removeOrphans(say: Telling['say']): Promise<void> {
  const ports = await openTuning().catch((error: unknown) => {
    // Where Open vSwitch is not started at boot, nobody acts on its database either.
    if (isAgentError(error) && error.kind === 'ovsdb-unreachable') return null;
    throw error;
  });
  if (ports === null) return;
  try {
    const known = profileFiles(profileDirectories);
    const { ovs } = await ports.observe();
    const orphans = bridges.flatMap(({ bridge: name }) => {
      const row = ovs.bridges.find((bridge) => bridge.name === name);
      const owner = row === undefined ? undefined : ownerOf(row);
      // One that was hidden from NetworkManager when the power went would be left alone by it, with the NIC inside.
      const isLost = row !== undefined && (isBorrowed(row) || (owner !== undefined && !known.has(owner)));
      return isLost ? [name] : [];
    });
    if (orphans.length === 0) return;
    await ports.ovs.removeBridges(orphans);
    say(
      `removed ${orphans.join(', ')} from the database of Open vSwitch: its profiles were in memory and went with the last boot`,
    );
  } finally {
    ports.close();
  }
}

/** Keyfiles by the UUID of their profile. */
function profileFiles(directories: readonly string[]): ReadonlyMap<string, string> {
  return new Map(readKeyfiles(directories).map(({ uuid, path }) => [uuid, path]));
}
