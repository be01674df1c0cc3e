import { uptime } from 'node:os';
import type { NetworkManager } from './nm-client.ts';
import { checkpointFlags, checkpointInterface, rootCall, rootInterface, rootPath } from './nm-names.ts';

/*
 * NetworkManager checkpoints (D-Bus API, "CheckpointCreate"): snapshots of devices, active connections and profiles.
 * NetworkManager returns to a snapshot by itself unless the checkpoint is destroyed in time. The timer is in
 * NetworkManager, so it also works after the agent has crashed.
 */

/** Returns the paths of all existing checkpoints, including those of other programs. */
export async function standingCheckpoints(nm: NetworkManager): Promise<readonly string[]> {
  const paths = await nm.property(rootPath, rootInterface, 'Checkpoints');
  return Array.isArray(paths) ? paths.map(String) : [];
}

/** Returns true while NetworkManager still has this checkpoint. */
export async function checkpointStands(nm: NetworkManager, checkpoint: string): Promise<boolean> {
  return (await standingCheckpoints(nm)).includes(checkpoint);
}

/**
 * Returns the seconds until NetworkManager rolls back to a checkpoint; null if it has no such checkpoint any more.
 * `Created` is a time of CLOCK_BOOTTIME in milliseconds, and `RollbackTimeout` counts from it in seconds (D-Bus API,
 * Checkpoint).
 */
export async function secondsToRollback(nm: NetworkManager, checkpoint: string): Promise<number | null> {
  if (!(await checkpointStands(nm, checkpoint))) return null;
  const read = (name: string): Promise<unknown> => nm.property(checkpoint, checkpointInterface, name);
  try {
    const [created, timeout] = await Promise.all([read('Created'), read('RollbackTimeout')]);
    return Number(created) / 1000 + Number(timeout) - uptime();
  } catch (error) {
    if (await checkpointStands(nm, checkpoint)) throw error;
    return null;
  }
}

/** Creates a checkpoint of all devices, to which NetworkManager rolls back after rollbackSeconds; returns its path. */
export async function createCheckpoint(nm: NetworkManager, rollbackSeconds: number): Promise<string> {
  const flags = checkpointFlags.deleteNewConnections | checkpointFlags.disconnectNewDevices;
  const [path] = await nm.request(
    'make a checkpoint',
    rootCall('CheckpointCreate', 'aouu', [], rollbackSeconds, flags),
  );
  return String(path);
}

/** Sets the timer of a checkpoint, so that NetworkManager rolls back to the checkpoint rollbackSeconds from now. */
export async function pushCheckpointForward(
  nm: NetworkManager,
  checkpoint: string,
  rollbackSeconds: number,
): Promise<void> {
  const call = rootCall('CheckpointAdjustRollbackTimeout', 'ou', checkpoint, rollbackSeconds);
  await nm.request('extend the checkpoint', call);
}

/** Removes the checkpoint and keeps the current state. */
export async function destroyCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await nm.request('destroy the checkpoint', rootCall('CheckpointDestroy', 'o', checkpoint));
}

/** Rolls back to the checkpoint; resolves when NetworkManager has begun to activate all profiles again. */
export async function rollBackCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await nm.request('roll back the checkpoint', rootCall('CheckpointRollback', 'o', checkpoint));
}
