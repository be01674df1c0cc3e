import type { Deadline } from '../deadline.ts';
import { currentBootId } from '../drivers/host/boot-id.ts';
import { enableDetection } from '../drivers/host/ipv6-settings.ts';
import { checkpointStands } from '../drivers/networkmanager/checkpoint.ts';
import { AgentError, asAgentError } from '../errors.ts';
import { wholeMessage } from '../failures.ts';
import { type JournalRecord, journalDirectory, type TransactionState } from '../model/journal.ts';
import { isAsWanted } from './as-wanted.ts';
import { readOpenJournals, reopenJournal, setAside } from './journal.ts';
import type { Message } from './messages.ts';
import type { Node } from './node.ts';
import type { Reporter } from './options.ts';
import { endTransaction, nodePlaces, type RecordPlaces } from './run-record.ts';
import { takeBack } from './take-back.ts';
import { awaitUnloggedCheckpoint } from './unlogged-checkpoint.ts';

/**
 * Ends what an earlier run left open, before anything new is planned. A run that died in this boot is brought back to its old state
 * at once, instead of when NetworkManager's timer runs out; one of an earlier boot ended with it, because profiles in memory do not
 * outlive a boot, and what it left in Open vSwitch's database is part of what is observed next.
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

/** Why a tried change is taken back when its time is over. */
export const lateDetail = 'it was not confirmed in time';

/** The journals of runs that are to be ended; what only looks like one is put aside and told. */
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

/** A run can die after it wrote the end of its journal and before the file was renamed: the end counts, and is written once more. */
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
  // It may have died between the end of its work and the note of it: a state that is as it aimed at is not taken back.
  const pending = record.checkpoint !== null && (await checkpointStands(node.nm, record.checkpoint));
  if (!pending && isAsWanted(plan, await node.observe())) {
    endTransaction('recover', id, 'committed', 'the agent died after its work was done', { kept: plan }, places);
    announce(recovered(id, 'died after its work was done; the node is as it was meant to be'));
    return;
  }
  say(`transaction ${id} died in the middle; bringing back the state before it`);
  const left = await takeBack(node, record.header, record.checkpoint, say);
  const back = { state: 'rolled-back', detail: 'the agent died; the next run rolled back' } as const;
  const [why, told] = ['the agent died in the middle', 'had died in the middle; the state before it is back'];
  endTakenBack(id, left, { ...back, why, told }, announce, places);
  if (deadline.signal.aborted) throw deadline.signal.reason;
}

/**
 * A try that still runs has to be decided on first: `busy`. One whose time ran out was rolled back by NetworkManager; one whose checkpoint
 * went with a restart of NetworkManager was not, because the bridge stays over that.
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
  if (record.checkpoint !== null && (await checkpointStands(node.nm, record.checkpoint))) throw unconfirmed(id);
  const left = await takeBack(node, record.header, null, say);
  const back = { state: 'reverted', detail: lateDetail, why: lateDetail } as const;
  endTakenBack(id, left, { ...back, told: 'was not confirmed and has been reverted' }, announce, places);
}

/** End of a rollback that restored everything: the transaction's state, its detail, and the message about it. `why` is the rollback's reason. */
interface RolledBack {
  readonly state: TransactionState;
  readonly detail: string;
  readonly why: string;
  readonly told: string;
}

/** Records and reports what a rollback could not restore; `left` is null if it restored everything. */
function endTakenBack(
  id: string,
  left: AgentError | null,
  { state, detail, why, told }: RolledBack,
  announce: Reporter['announce'],
  places: RecordPlaces,
): void {
  if (left === null) {
    endTransaction('recover', id, state, detail, {}, places);
    announce(recovered(id, told));
  } else {
    // First of all: the disk on which the end cannot be written may be what failed.
    const later = wholeMessage(left);
    announce({ kind: 'not-restored', text: `${why}; then ${later}`, transaction: id, error: left.kind });
    endTransaction('recover', id, 'not-restored', why, { later }, places);
  }
}

/** Notes the end of a run of an earlier boot: with that boot its profiles in memory and its checkpoint went. */
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
    hint: 'keep it with `microshift-net confirm` or take it back with `microshift-net undo`, then run this again',
    facts: { transaction: id },
  });
}
