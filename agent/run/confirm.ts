import { startDeadline } from '../deadline.ts';
import { checkpointStands, destroyCheckpoint, pushCheckpointForward } from '../drivers/networkmanager/checkpoint.ts';
import { AgentError } from '../errors.ts';
import { followedBy } from '../failures.ts';
import type { JournalRecord } from '../model/journal.ts';
import { readJournals } from './journal/journal-files.ts';
import { endTransaction, nodePlaces } from './journal/record-run.ts';
import { withLock } from './lock.ts';
import { type Node, withNode } from './node.ts';
import type { Reporter } from './options.ts';
import { runLimitMs } from './reconcile.ts';
import { lateDetail, recoverEarlierRuns } from './rollback/recover.ts';

const leastSecondsToDecide = 60;

/**
 * Keeps the change that awaits confirmation and returns its id. Fails with `nothing-to-confirm` if no change waits, or
 * if the time to confirm is over.
 */
export function keepTried(reporter: Reporter): Promise<string> {
  return withLock(
    'confirm',
    () =>
      withNode(async (node) => {
        const deadline = startDeadline(runLimitMs);
        const recover = (): Promise<void> => recoverEarlierRuns(node, reporter, deadline);
        return keepTriedOn(node, recover)
          .finally(() => node.cancelRecovery())
          .finally(() => deadline.clear());
      }),
    reporter.say,
  );
}

/**
 * Keeps the change that awaits confirmation and returns its id. The caller holds the lock. A restart of NetworkManager
 * deletes its checkpoints without a rollback. If the checkpoint of the change no longer exists, `recover` rolls the
 * change back, and the function fails with `nothing-to-confirm`.
 */
export async function keepTriedOn(
  { nm }: Pick<Node, 'nm'>,
  recover: () => Promise<void>,
  places = nodePlaces,
): Promise<string> {
  const { records } = readJournals(places.journals);
  const record = records.find(({ state }) => state === 'awaiting-confirm');
  if (record === undefined || record.checkpoint === null) throw nothingWaits(records[0]);
  const { id, plan } = record.header;
  if (!(await checkpointStands(nm, record.checkpoint))) {
    await recover().catch((failure: unknown) => {
      throw followedBy(tooLate(id), failure);
    });
    throw reverted(id, lateDetail);
  }
  // The confirmation is written to the journal before the checkpoint is destroyed. If the write fails, the checkpoint
  // still exists, and NetworkManager rolls the change back when the checkpoint's timer expires.
  await pushCheckpointForward(nm, record.checkpoint, secondsToDecide(record, Date.now()));
  endTransaction('confirm', id, 'confirmed', null, { kept: plan }, places);
  await destroyCheckpoint(nm, record.checkpoint);
  return id;
}

/**
 * Returns the rollback timeout, in seconds, that the checkpoint gets while the confirmation is written: the time that
 * is left to confirm the change, but at least 60 s, because a write to a slow disk can take that long.
 */
function secondsToDecide({ confirmUntil }: JournalRecord, nowMs: number): number {
  const leftMs = confirmUntil === null ? 0 : Date.parse(confirmUntil) - nowMs;
  return Math.max(leastSecondsToDecide, Math.ceil(leftMs / 1000));
}

/**
 * Returns the error for a confirmation while no change waits. If the last transaction was reverted, for example by a
 * unit of systemd, the message says so.
 */
function nothingWaits(last: JournalRecord | undefined): AgentError {
  if (last?.state === 'reverted') return reverted(last.header.id, last.detail);
  return new AgentError('nothing-to-confirm', 'no change waits to be confirmed', {
    hint: 'a change is tried with `microshift-net apply --confirm-timeout SECONDS`',
  });
}

function tooLate(id: string): AgentError {
  return new AgentError('nothing-to-confirm', `transaction ${id} was not confirmed in time`, {
    hint: 'run `microshift-net recover`',
  });
}

function reverted(id: string, why: string | null): AgentError {
  const because = why === null ? '' : `: ${why}`;
  return new AgentError('nothing-to-confirm', `transaction ${id} has been reverted${because}`, {
    hint: 'run `microshift-net apply` again',
  });
}
