import type { NetworkManager } from './client.ts';
import { checkpointFlags, rootInterface, rootPath } from './names.ts';

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
  const [path] = await nm.request('make a checkpoint', {
    path: rootPath,
    interface: rootInterface,
    member: 'CheckpointCreate',
    signature: 'aouu',
    body: [[], rollbackSeconds, flags],
  });
  return String(path);
}

/** Sets the rollback timer to rollbackSeconds from now. */
export async function pushCheckpointForward(
  nm: NetworkManager,
  checkpoint: string,
  rollbackSeconds: number,
): Promise<void> {
  await nm.request('extend the checkpoint', {
    path: rootPath,
    interface: rootInterface,
    member: 'CheckpointAdjustRollbackTimeout',
    signature: 'ou',
    body: [checkpoint, rollbackSeconds],
  });
}

/** Keeps everything as it is now; the checkpoint is gone. */
export async function destroyCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await onCheckpoint(nm, 'CheckpointDestroy', checkpoint);
}

/** Returns to the snapshot; answers when NetworkManager has started every re-activation. */
export async function rollBackCheckpoint(nm: NetworkManager, checkpoint: string): Promise<void> {
  await onCheckpoint(nm, 'CheckpointRollback', checkpoint);
}

async function onCheckpoint(nm: NetworkManager, member: string, checkpoint: string): Promise<void> {
  const what = member === 'CheckpointDestroy' ? 'destroy the checkpoint' : 'roll back the checkpoint';
  await nm.request(what, { path: rootPath, interface: rootInterface, member, signature: 'o', body: [checkpoint] });
}
