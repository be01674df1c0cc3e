import { lockDirectory, takeLock } from '../apply/lock.ts';
import { openTuning } from '../assemble.ts';
import { removeFile } from '../drivers/host/files.ts';
import { readKeyfiles } from '../drivers/host/keyfiles.ts';
import { asAgentError } from '../errors.ts';
import { bridges, profileIds, userData } from '../plan/names.ts';
import type { Telling } from './recover.ts';

/** Where `persist: true` puts profiles. */
const diskProfiles = '/etc/NetworkManager/system-connections';

/**
 * At boot, between ovs-vswitchd and NetworkManager: bridges on disk that Open vSwitch cannot carry are removed, so that NetworkManager brings
 * the NIC up with the admin's own profile. Left there, they would keep the NIC as a port of nothing. The next run of `apply` that finds Open
 * vSwitch writes them again.
 */
export async function fallBack({ say }: Telling): Promise<void> {
  const files = bridgeFiles();
  if (files.length === 0) return;
  const lock = await takeLock(lockDirectory, 'recover --fallback');
  try {
    const why = await openVSwitchFails();
    if (why === null) return;
    for (const path of files) removeFile(path);
    say(`warning: ${why}; the node starts from its own profiles, without ${files.length} of ours that were on disk`);
  } finally {
    lock.release();
  }
}

/** Keyfiles of bridges with a NIC that this agent has put on disk, and of the ports that follow it. */
function bridgeFiles(): readonly string[] {
  const keyfiles = readKeyfiles([diskProfiles]);
  const isOurs = (text: string): boolean => text.includes(`${userData.sourceProfile}=`);
  const ids = new Set(
    bridges
      .filter((names) => keyfiles.some(({ id, text }) => id === names.uplinkInterface && isOurs(text)))
      .flatMap(profileIds),
  );
  if (ids.size === 0) return [];
  return keyfiles.filter(({ id, text }) => ids.has(id) || isOurs(text)).map(({ path }) => path);
}

async function openVSwitchFails(): Promise<string | null> {
  try {
    const { ovs, close } = await openTuning();
    await ovs.probeVswitchd().finally(close);
    return null;
  } catch (error) {
    return asAgentError(error).message;
  }
}
