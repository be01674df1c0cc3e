import { monotonicMs } from '../../deadline.ts';
import { type AgentError, asAgentError, errorTable } from '../../errors.ts';
import { failuresOf, wholeMessage } from '../../failures.ts';
import type { TransactionState } from '../../model/journal.ts';
import { journalDirectory } from '../../model/journal.ts';
import type { Plan } from '../../model/plan.ts';
import type { RunOutcome, RunRecord, TransactionRecord, TransactionResult } from '../../model/run-record.ts';
import { agentVersion } from '../../version.ts';
import { lockDirectory, takeLock } from '../lock.ts';
import { readJournals, reopenJournal } from './journal-files.ts';
import { metricsText } from './metrics.ts';
import { readStatus, statusDirectory, writeBootMarker, writeRun } from './state-files.ts';

/** Directories of journals and of the status of the last run. */
export interface RecordPlaces {
  readonly journals: string;
  readonly status: string;
}

/** Directories of the journals and of the status on a node. */
export const nodePlaces: RecordPlaces = { journals: journalDirectory, status: statusDirectory };

/** Recorder of a run, which writes the run's record at its end. A failure to write the record does not fail the run. */
export interface RunRecorder {
  planned(plan: Plan): void;
  /** Records the id of the transaction that runs the plan. */
  began(id: string): void;
  ended(changed: boolean, transaction: TransactionResult | null): void;
  failed(error: unknown): void;
}

/**
 * Starts the record of a run. Has to be called under the lock: a run that does not get the lock must not overwrite the
 * record of the run that holds it.
 */
export function startRecord(command: string): RunRecorder {
  const started = monotonicMs();
  let plan: Plan | null = null;
  let begun: { readonly id: string; readonly started: number } | null = null;

  const transactionRecord = (state: TransactionState): TransactionRecord | null =>
    begun && {
      id: begun.id,
      state,
      at: new Date().toISOString(),
      tookMs: Math.round(monotonicMs() - begun.started),
      expectedOutageMs: plan?.outage.expectedMs ?? 0,
    };
  const write = (outcome: RunOutcome, state: TransactionState | null, error: AgentError | null): void => {
    const tookMs = Math.round((monotonicMs() - started) * 10) / 10;
    const transaction = state === null ? null : transactionRecord(state);
    writeNext({ command, at: new Date().toISOString(), tookMs, outcome, error, plan, transaction, confirmed: null });
    if (command === 'apply --boot' && outcome !== 'failed') attempt(() => writeBootMarker(new Date().toISOString()));
  };
  return {
    planned: (made) => {
      plan = made;
    },
    began: (id) => {
      begun = { id, started: monotonicMs() };
    },
    ended: (changed, transaction) => write(changed ? 'changed' : 'unchanged', transaction?.state ?? null, null),
    failed: (cause) => attempt(() => write('failed', journalState(begun?.id), asAgentError(cause))),
  };
}

/**
 * Records a run that failed before it took the lock. Records nothing if another run holds the lock, because that run
 * writes its own record.
 */
export async function recordRefused(command: string, cause: unknown): Promise<void> {
  const lock = await takeLock(lockDirectory, command, 'brief').catch(() => null);
  if (lock === null) return;
  startRecord(command).failed(cause);
  lock.release();
}

/** Details about the end of a transaction, in addition to its state. */
export interface EndDetails {
  /** Plan of the transaction if its change was kept; the record of the run then lists the bridges of this plan. */
  readonly kept?: Plan | null;
  /** Failure that followed the failure in `detail`, for example the failure of the rollback. */
  readonly later?: string | null;
}

/**
 * Writes the final state of a transaction that another process began: it was rolled back, recovered after a crash, or
 * confirmed. Fails with `state-unwritable`.
 */
export function endTransaction(
  command: string,
  id: string,
  state: TransactionState,
  detail: string | null,
  { kept = null, later = null }: EndDetails = {},
  places = nodePlaces,
): void {
  const at = new Date().toISOString();
  const journal = reopenJournal(places.journals, id);
  journal.setState(state, at, detail, later === null ? {} : { later });
  journal.close();
  const previous = readStatus(places.status)?.transaction ?? null;
  const known = previous?.id === id ? previous : { id, tookMs: null, expectedOutageMs: null };
  const transaction = { ...known, state, at };
  writeNext(
    { command, at, tookMs: 0, outcome: 'changed', error: null, plan: null, transaction, confirmed: kept },
    places,
  );
}

/** Returns the state of a failed transaction from its journal; null if the run failed before it opened a journal. */
function journalState(id: string | undefined): TransactionState | null {
  if (id === undefined) return null;
  return readJournals(journalDirectory).records.find((record) => record.header.id === id)?.state ?? null;
}

function writeNext(end: RunEnd, { status } = nodePlaces): void {
  attempt(() => {
    const record = nextRecord(readStatus(status), end);
    writeRun(record, metricsText(record), status);
  });
}

/**
 * Calls a function and ignores its failure. A record that cannot be written, for example because /run is full, must
 * change neither the success of a run nor its reported failure.
 */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The failure is ignored. Monitoring notices from the timestamp in the metrics that no record was written.
  }
}

interface RunEnd {
  readonly command: string;
  readonly at: string;
  readonly tookMs: number;
  readonly outcome: RunOutcome;
  readonly error: AgentError | null;
  readonly plan: Plan | null;
  readonly transaction: TransactionRecord | null;
  /** Plan of an earlier change that this run has confirmed; null if this run confirmed nothing. */
  readonly confirmed: Plan | null;
}

/**
 * Returns the record of a run that has ended. The counters continue from the record of the previous run, and values
 * that this run has not determined are copied from it.
 */
export function nextRecord(previous: RunRecord | null, end: RunEnd): RunRecord {
  const { command, at, tookMs, outcome, error, plan, transaction, confirmed } = end;
  // A change that awaits confirmation may still be rolled back, so its bridges are not recorded yet.
  const kept = confirmed ?? (outcome === 'failed' || transaction?.state === 'awaiting-confirm' ? null : plan);
  const runs = previous?.runs ?? { unchanged: 0, changed: 0, failed: 0 };
  const rolledBack = transaction?.state === 'rolled-back' || transaction?.state === 'not-restored';
  return {
    format: 1,
    command,
    agentVersion,
    at,
    tookMs,
    outcome,
    error: error && {
      kind: error.kind,
      message: wholeMessage(error),
      exitCode: errorTable[error.kind].exitCode,
      failures: failuresOf(error).map(({ kind, message }) => ({ kind, message })),
    },
    differences: plan?.differences.length ?? (outcome === 'unchanged' ? 0 : null),
    bridges: kept === null ? (previous?.bridges ?? []) : plannedBridges(kept),
    transaction: transaction ?? previous?.transaction ?? null,
    runs: { ...runs, [outcome]: runs[outcome] + 1 },
    rollbacks: (previous?.rollbacks ?? 0) + (rolledBack ? 1 : 0),
  };
}

function plannedBridges(plan: Plan): RunRecord['bridges'] {
  return plan.wanted.bridges.map(({ bridge, uplink }) => ({ bridge, uplink: uplink?.interface ?? null }));
}
