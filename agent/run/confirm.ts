import { startDeadline } from '../deadline.ts';
import { checkpointStands, destroyCheckpoint } from '../drivers/networkmanager/checkpoint.ts';
import { AgentError } from '../errors.ts';
import { readJournals } from './journal.ts';
import { withLock } from './lock.ts';
import { type Node, withNode } from './node.ts';
import type { Reporter } from './options.ts';
import { runLimitMs } from './reconcile.ts';
import { recoverEarlierRuns } from './recover.ts';
import { endTransaction, nodePlaces } from './run-record.ts';

/** Keeps the change that waits to be confirmed and gives its id. Fails with `nothing-to-confirm` when there is none, or none any more. */
export function keepTried(reporter: Reporter): Promise<string> {
  return withLock('confirm', () =>
    withNode(async (node) => {
      const deadline = startDeadline(runLimitMs);
      const recover = (): Promise<void> => recoverEarlierRuns(node, reporter, deadline);
      return keepTriedOn(node, recover).finally(() => deadline.clear());
    }),
  );
}

/**
 * The same on a node that nobody else changes. A checkpoint that went with a restart of NetworkManager has taken nothing back: `recover` does
 * that for whatever is too late.
 */
export async function keepTriedOn(
  { nm }: Pick<Node, 'nm'>,
  recover: () => Promise<void>,
  places = nodePlaces,
): Promise<string> {
  const record = readJournals(places.journals).records.find(({ state }) => state === 'awaiting-confirm');
  if (record === undefined || record.checkpoint === null)
    throw new AgentError('nothing-to-confirm', 'no change waits to be confirmed', {
      hint: 'a change is tried with `microshift-net apply --confirm-timeout SECONDS`',
    });
  const { id, plan } = record.header;
  if (!(await checkpointStands(nm, record.checkpoint))) {
    await recover();
    const text = `transaction ${id} was not confirmed in time and has been reverted`;
    throw new AgentError('nothing-to-confirm', text, { hint: 'run `microshift-net apply` again' });
  }
  await destroyCheckpoint(nm, record.checkpoint);
  endTransaction('confirm', id, 'confirmed', null, plan, places);
  return id;
}
