import type { Deadline } from '../../deadline.ts';
import { watchActivations } from '../../drivers/networkmanager/activation.ts';
import { standingCheckpoints } from '../../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../../drivers/networkmanager/nm-client.ts';
import { checkpointInterface } from '../../drivers/networkmanager/nm-names.ts';
import { isAgentError } from '../../errors.ts';
import { checkpointSeconds } from '../checkpoint-timer.ts';

/**
 * Time limit for a checkpoint to expire. A run that crashed before it wrote the checkpoint into the journal has not
 * extended the checkpoint's timer.
 */
const limitMs = checkpointSeconds * 1000 + 1_000;

/**
 * Waits for the end of a checkpoint that is not in the journal, because the run crashed between NetworkManager's reply
 * and the journal entry. The run had changed nothing, so NetworkManager's rollback changes nothing either.
 * NetworkManager does not report which program has created a checkpoint, and a checkpoint with the agent's timeout may
 * belong to another program. The function therefore neither destroys it nor rolls back to it. If the checkpoint still
 * exists at the limit, a later run fails with `busy`.
 */
export async function awaitUnloggedCheckpoint(
  nm: NetworkManager,
  deadline: Deadline,
  say: (message: string) => void,
): Promise<void> {
  const found = await withOurTimer(nm);
  if (found.length === 0) return;
  say(`waiting up to ${checkpointSeconds} s for NetworkManager to end the checkpoint that it left`);
  const watch = watchActivations(nm);
  try {
    const ended = async (): Promise<boolean> => (await standingCheckpoints(nm)).every((path) => !found.includes(path));
    await watch.until('the end of a checkpoint', ended, deadline, limitMs);
  } catch (error) {
    if (!isAgentError(error) || error.kind !== 'activation-timeout') throw error;
  } finally {
    watch.stop();
  }
}

async function withOurTimer(nm: NetworkManager): Promise<readonly string[]> {
  const paths = await standingCheckpoints(nm);
  const seconds = await Promise.all(
    paths.map((path) => nm.property(path, checkpointInterface, 'RollbackTimeout').catch(() => null)),
  );
  return paths.filter((_path, index) => seconds[index] === checkpointSeconds);
}
