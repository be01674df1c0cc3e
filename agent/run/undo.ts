import { AgentError, asAgentError, withFacts } from '../errors.ts';
import { failedThen, wholeMessage } from '../failures.ts';
import type { Config } from '../model/config.ts';
import { type JournalRecord, journalDirectory } from '../model/journal.ts';
import type { Wanted } from '../model/plan.ts';
import { planUndo } from '../plan/make-plan.ts';
import { readJournals } from './journal/journal-files.ts';
import { endTransaction } from './journal/record-run.ts';
import { findTransaction, hasChanged, isAskedFor } from './journal/transactions.ts';
import { withLock } from './lock.ts';
import { withNode } from './node.ts';
import type { ReconcileOptions } from './options.ts';
import { repairWait } from './plan-when-ready.ts';
import { type ReconcileResult, reconcile } from './reconcile.ts';
import { goneService } from './rollback/gone-service.ts';
import { rollBack } from './rollback/roll-back.ts';
import { uninterrupted } from './signals.ts';
import { wasStopped, withState } from './stopped.ts';

/**
 * Result of an undo. `reverted` is the id of a change that awaited confirmation and was rolled back first; null if no
 * change awaited confirmation.
 */
export interface UndoResult extends ReconcileResult {
  readonly reverted: string | null;
}

/**
 * Restores the state of the node before a transaction. `id` is the transaction's id or a prefix of it; without an id,
 * the transaction is the last change that a person requested. Fails with `transaction-not-found`.
 */
export async function undoTransaction(
  id: string | undefined,
  config: Config,
  options: Omit<ReconcileOptions, 'command' | 'confirmTimeoutSeconds'>,
): Promise<UndoResult> {
  const record = undoable(id);
  const { header } = record;
  const look = (servicesMs: number): Promise<ReconcileResult> =>
    reconcile(
      (observation) => ({ kind: 'planned', plan: planUndo(asBefore(record), observation, config) }),
      { routeMs: 0, uplinkMs: 0, servicesMs },
      { ...options, command: `undo ${header.id}`, confirmTimeoutSeconds: null },
    );
  if (record.state !== 'awaiting-confirm') return { ...(await look(0)), reverted: null };
  await rollBackTried(record, options.say);
  // If a service stops after the rollback, the undo waits for it, because systemd starts the service again.
  const result = await look(0).catch((error: unknown) => {
    const failure = asAgentError(error);
    if (wasStopped(failure)) throw withState(failure, `transaction ${header.id} is rolled back`);
    options.say(`${goneService(error).message}; the node is checked when it is there again`);
    return look(repairWait.servicesMs);
  });
  return { ...result, reverted: header.id };
}

/**
 * Returns the desired state from before a transaction. If the journal has no list of the bridges of `bridge add` from
 * that time, the list is empty.
 */
function asBefore({ header: { previous } }: JournalRecord): Wanted {
  return { ...previous, added: previous.added ?? [] };
}

/**
 * Returns the transaction to undo. Without an id, skips changes that units of systemd made: they restore the state that
 * a person requested, so undoing them would change nothing or bring back the fault that they repaired.
 */
export function undoable(id: string | undefined, directory = journalDirectory): JournalRecord {
  const { records } = readJournals(directory);
  if (id === undefined) return lastAskedFor(records.filter(hasChanged));
  const record = findTransaction(records, id);
  if (hasChanged(record)) return record;
  const hint = 'see `microshift-net history`';
  const text = `transaction ${record.header.id} changed nothing that could be undone: it is ${record.state}`;
  throw new AgentError('transaction-not-found', text, { hint });
}

function lastAskedFor(changes: readonly JournalRecord[]): JournalRecord {
  const asked = changes.find(isAskedFor);
  if (asked !== undefined) return asked;
  const [last] = changes;
  if (last === undefined) {
    const hint = 'see `microshift-net history`';
    throw new AgentError('transaction-not-found', 'this node has no transaction to undo', {
      hint,
    });
  }
  const { id, command } = last.header;
  throw new AgentError(
    'transaction-not-found',
    `no change was requested by a person: \`${command}\` made the last one`,
    {
      hint: `to go back to before that: microshift-net undo ${id}; to return the NIC to its own profile: microshift-net disable`,
      facts: { transaction: id, command },
    },
  );
}

/** Rolls back the change that awaits confirmation, if there is one. */
export async function rollBackPending(say: ReconcileOptions['say'], directory = journalDirectory): Promise<void> {
  const pending = readJournals(directory).records.find(({ state }) => state === 'awaiting-confirm');
  if (pending !== undefined) await rollBackTried(pending, say);
}

/** Rolls back a change that awaits confirmation, through its checkpoint if that still exists. */
function rollBackTried({ header, checkpoint }: JournalRecord, say: ReconcileOptions['say']): Promise<void> {
  const roll = (): Promise<void> =>
    withNode(async (node) => {
      const left = await rollBack(node, header, checkpoint, say);
      await node.cancelRecovery();
      const detail = 'rolled back by undo';
      if (left === null) return endTransaction('undo', header.id, 'reverted', detail);
      const failure = withFacts(left, { transaction: header.id, ended: 'not-restored' });
      const later = wholeMessage(left);
      throw await failedThen(failure, () => endTransaction('undo', header.id, 'not-restored', detail, { later }));
    });
  return withLock('undo', () => uninterrupted(`the rollback of transaction ${header.id}`, say, roll), say);
}
