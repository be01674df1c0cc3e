import type { NetworkManager } from './client.ts';
import { checkpointFlags, rootCall, rootInterface, rootPath } from './names.ts';

/*
 * NetworkManager checkpoints (D-Bus API, "CheckpointCreate"): a snapshot of devices, active connections and profiles that
 * NetworkManager returns to by itself unless it is destroyed in time. Its timer, not ours, is what survives our death.
 */

/** Paths of the checkpoints that stand now, ours or others'. */
export async function standingCheckpoints(nm: NetworkManager): Promise<readonly string[]> {
  const paths = await nm.property(rootPath, rootInterface, 'Checkpoints');
  return Array.isArray(paths) ? paths.map(String) : [];
}

/** True while NetworkManager still has this checkpoint. */
export async function checkpointStands(nm: NetworkManager, checkpoint: string): Promise<boolean> {
  return (await standingCheckpoints(nm)).includes(checkpoint);
}

/** Makes a checkpoint over all devices that is rolled back after rollbackSeconds; returns its path. */
export async function createCheckpoint(nm: NetworkManager, rollbackSeconds: number): Promise<string> {
  const flags = checkpointFlags.deleteNewConnections | checkpointFlags.disconnectNewDevices;
  const [path] = await nm.request(
    'make a checkpoint',
    rootCall('CheckpointCreate', 'aouu', [], rollbackSeconds, flags),
  );
  return String(path);
}

/** Sets the rollback timer to rollbackSeconds from now. */
export async function pushCheckpointForward(
  nm: NetworkManager,
  checkpoint: string,
  rollbackSeconds: number,
): Promise<void> {
  const call = rootCall('CheckpointAdjustRollbackTimeout', 'ou', checkpoint, rollbackSeconds);
  await nm.request('extend the checkpoint', call);
}

/** Keeps everything as it is now; the checkpoint is gone. */
export async function destroyCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await nm.request('destroy the checkpoint', rootCall('CheckpointDestroy', 'o', checkpoint));
}

/** Returns to the snapshot; answers when NetworkManager has started every re-activation. */
export async function rollBackCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await nm.request('roll back the checkpoint', rootCall('CheckpointRollback', 'o', checkpoint));
}
