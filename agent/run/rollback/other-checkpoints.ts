import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import { checkpointInterface, deviceInterface } from '../../drivers/networkmanager/nm-names.ts';
import { AgentError } from '../../errors.ts';

/**
 * Fails with `busy` if NetworkManager has a checkpoint, which then belongs to another program. A rollback to that
 * checkpoint would undo the agent's change, and NetworkManager does not allow two checkpoints that include the same
 * device. NetworkManager does not report which program has created a checkpoint.
 */
export async function refuseOtherCheckpoints(nm: NetworkManager, checkpoints: readonly string[]): Promise<void> {
  for (const path of checkpoints) {
    const found = await describe(nm, path).catch(() => null);
    // A checkpoint that has ended since it was observed does not count.
    if (found === null) continue;
    const { devices, seconds } = found;
    const until = seconds === 0 ? 'until it is ended' : `for ${seconds} s`;
    throw new AgentError(
      'busy',
      `another program (Cockpit, nmstate) is trying a change of ${devices.join(', ')}: its checkpoint in NetworkManager stands ${until}`,
      {
        hint: 'let it confirm or roll back its change, then run this again',
        facts: { devices, rollbackSeconds: seconds },
      },
    );
  }
}

async function describe(nm: NetworkManager, path: string): Promise<{ devices: readonly string[]; seconds: number }> {
  const [paths, seconds] = await Promise.all([
    nm.property(path, checkpointInterface, 'Devices'),
    nm.property(path, checkpointInterface, 'RollbackTimeout'),
  ]);
  const names = (Array.isArray(paths) ? paths : []).map((device) =>
    nm.property(String(device), deviceInterface, 'Interface').then(String, () => null),
  );
  const devices = (await Promise.all(names)).filter((name) => name !== null && name !== 'lo');
  return { devices: [...new Set(devices as string[])], seconds: Number(seconds) };
}
