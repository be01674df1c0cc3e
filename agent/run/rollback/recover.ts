import type { Deadline } from '../../deadline.ts';
import { currentBootId } from '../../drivers/host/kernel/boot-id.ts';
import { enableDetection } from '../../drivers/host/kernel/ipv6-settings.ts';
import { checkpointStands, secondsToRollback } from '../../drivers/networkmanager/checkpoint.ts';
import { AgentError, asAgentError } from '../../errors.ts';
import { wholeMessage } from '../../failures.ts';
import { type JournalRecord, journalDirectory, type TransactionState } from '../../model/journal.ts';
import { confirmReserveSeconds } from '../../model/limits.ts';
import { isInDesiredState } from '../desired-state.ts';
import { readOpenJournals, reopenJournal, setAside } from '../journal/journal-files.ts';
import { endTransaction, nodePlaces, type RecordPlaces } from '../journal/record-run.ts';
import type { Message } from '../messages.ts';
import type { Node } from '../node.ts';
import type { Reporter } from '../options.ts';
import { rollBack } from './roll-back.ts';
import { awaitUnloggedCheckpoint } from './unlogged-checkpoint.ts';

/**
 * Recovers the open transactions of earlier runs, before the present run makes a plan. An interrupted transaction of
 * this boot is kept if its checkpoint has ended and the node is in the desired state. Otherwise it is rolled back
 * without waiting for the timer of the checkpoint, unless the journal does not name the checkpoint
 * (unlogged-checkpoint.ts). A change that waits for confirmation is rolled back only after its time limit, and until
 * then the function fails with `busy`. A transaction of an earlier boot needs no rollback, because its profiles were in
 * memory and are lost. The bridges that it left in the database of Open vSwitch are part of the next observation.
 */
export async function recoverEarlierRuns(
  node: Node,
  { say, announce }: Reporter,
  deadline: Deadline,
  places = nodePlaces,
): Promise<void> {
  const records = usableOpenJournals(say, places.journals);
  const bootId = currentBootId();
  for (const record of records) {
    if (record.state === 'open') await endOpenRun(node, record, bootId, { say, announce }, deadline, places);
    else await endUnconfirmed(node, record, bootId, { say, announce }, places);
  }
}

/** Detail in the journal of a change that is rolled back because it was not confirmed in time. */
export const lateDetail = 'it was not confirmed in time';

/**
 * Returns the valid journals of open transactions. Sets open journals that are not valid aside and reports them. Closes
 * the journals whose transaction has ended.
 */
export function usableOpenJournals(
  say: (message: string) => void,
  directory = journalDirectory,
): readonly JournalRecord[] {
  const { records, unusable } = readOpenJournals(directory);
  for (const { path, why } of unusable) {
    try {
      setAside(path);
      say(`warning: the journal ${path} is set aside and not obeyed: ${why}`);
    } catch (error) {
      say(`warning: the journal ${path} is not obeyed: ${why}; ${asAgentError(error).message}`);
    }
  }
  const isOpen = ({ state }: JournalRecord): boolean => state === 'open' || state === 'awaiting-confirm';
  for (const record of records) if (!isOpen(record)) closeEnded(directory, record, say);
  return records.filter(isOpen);
}

/**
 * Closes the journal of a run that crashed after it had written the end of its transaction, and before it renamed the
 * file. The written end is valid and is written again.
 */
function closeEnded(
  directory: string,
  { header: { id }, state, stateAt, detail, later }: JournalRecord,
  say: Reporter['say'],
): void {
  try {
    const journal = reopenJournal(directory, id);
    journal.setState(state, stateAt, detail, { later });
    journal.close();
  } catch (error) {
    say(`warning: the journal of transaction ${id} stays open: ${asAgentError(error).message}`);
  }
}

async function endOpenRun(
  node: Node,
  record: JournalRecord,
  bootId: string,
  { say, announce }: Reporter,
  deadline: Deadline,
  places: RecordPlaces,
): Promise<void> {
  const { id, plan } = record.header;
  if (record.header.bootId !== bootId) return endAfterReboot(record, announce, places);
  for (const step of plan.steps) {
    if (step.do === 'activate')
      for (const { undetected } of step.profiles) if (undetected !== undefined) enableDetection(undetected);
  }
  if (record.checkpoint === null) await awaitUnloggedCheckpoint(node.nm, deadline, say);
  // If no checkpoint exists, a node in the desired state keeps the change: the run may have crashed after the end of
  // the checkpoint and before it recorded the end of the transaction in the journal.
  const pending = record.checkpoint !== null && (await checkpointStands(node.nm, record.checkpoint));
  if (!pending && isInDesiredState(plan, await node.observe())) {
    endTransaction('recover', id, 'committed', 'the agent crashed after its work was done', { kept: plan }, places);
    announce(recovered(id, 'crashed after its work was done; the node is in the desired state'));
    return;
  }
  say(`transaction ${id} was interrupted by a crash; rolling back`);
  const left = await rollBack(node, record.header, record.checkpoint, say);
  const back = { state: 'rolled-back', detail: 'the agent crashed; the next run rolled back' } as const;
  const [why, message] = ['the agent crashed during the run', 'was interrupted by a crash and has been rolled back'];
  endRolledBack(id, left, { ...back, why, message }, announce, places);
  if (deadline.signal.aborted) throw deadline.signal.reason;
}

/**
 * Rolls back a change that was not confirmed. Fails with `busy` until the time to confirm is over. NetworkManager
 * measures that time, because the clock of a node can be changed meanwhile. If the checkpoint no longer exists,
 * NetworkManager has rolled the change back or was restarted, and the function completes the rollback.
 */
async function endUnconfirmed(
  node: Node,
  record: JournalRecord,
  bootId: string,
  { say, announce }: Reporter,
  places: RecordPlaces,
): Promise<void> {
  const { id } = record.header;
  if (record.header.bootId !== bootId) return endAfterReboot(record, announce, places);
  const seconds = record.checkpoint === null ? null : await secondsToRollback(node.nm, record.checkpoint);
  if (seconds !== null && seconds > confirmReserveSeconds) {
    // The recovery at the end of the time to confirm is scheduled here again, because the run may have crashed before
    // it scheduled this recovery.
    await node.recoverAfter(Math.ceil(seconds - confirmReserveSeconds));
    throw unconfirmed(id);
  }
  const left = await rollBack(node, record.header, record.checkpoint, say);
  const back = { state: 'reverted', detail: lateDetail, why: lateDetail } as const;
  endRolledBack(id, left, { ...back, message: 'was not confirmed and has been reverted' }, announce, places);
}

/**
 * End of a rollback, as it is recorded and reported: state and detail for the journal, message for the log, and the
 * reason for the rollback (`why`).
 */
interface RolledBack {
  readonly state: TransactionState;
  readonly detail: string;
  readonly why: string;
  readonly message: string;
}

/** Records and reports the end of a rollback. `left` is the error of an incomplete rollback, otherwise null. */
function endRolledBack(
  id: string,
  left: AgentError | null,
  { state, detail, why, message }: RolledBack,
  announce: Reporter['announce'],
  places: RecordPlaces,
): void {
  if (left === null) {
    endTransaction('recover', id, state, detail, {}, places);
    announce(recovered(id, message));
  } else {
    // The report precedes the journal entry, because a disk on which the journal cannot be written may be the cause of
    // the failure.
    const later = wholeMessage(left);
    announce({ kind: 'not-restored', text: `${why}; then ${later}`, transaction: id, error: left.kind });
    endTransaction('recover', id, 'not-restored', why, { later }, places);
  }
}

/**
 * Records the end of a transaction of an earlier boot. The reboot has deleted its checkpoint and its profiles in
 * memory.
 */
export function endAfterReboot(record: JournalRecord, announce: Reporter['announce'], places = nodePlaces): void {
  const { id } = record.header;
  if (record.state === 'awaiting-confirm') {
    endTransaction('recover', id, 'reverted', 'the machine was rebooted before it was confirmed', {}, places);
    announce(recovered(id, 'was not confirmed and has been reverted'));
  } else {
    endTransaction('recover', id, 'interrupted', 'the machine went down in the middle', {}, places);
    announce(recovered(id, "was cut short by a reboot; the node started from the admin's own profiles"));
  }
}

function recovered(id: string, text: string): Message {
  return { kind: 'recovered', text: `transaction ${id} ${text}`, transaction: id };
}

function unconfirmed(id: string): AgentError {
  return new AgentError('busy', `transaction ${id} still waits to be confirmed`, {
    hint: 'keep it with `microshift-net confirm` or roll it back with `microshift-net undo`, then run this again',
    facts: { transaction: id },
  });
}
