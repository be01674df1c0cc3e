import { journalDirectory, readJournals, reopenJournal } from '../apply/journal.ts';
import { lockDirectory, takeLock } from '../apply/lock.ts';
import { checkpointExists, restoreOldState } from '../apply/restore.ts';
import { openNode } from '../assemble.ts';
import { destroyCheckpoint } from '../drivers/networkmanager/checkpoint.ts';
import { AgentError, type ExitCode, exitCode, withFacts } from '../errors.ts';
import type { JournalRecord, TransactionState } from '../model/journal.ts';
import { planRestore, planUndo } from '../plan/plan.ts';
import { reconcile } from '../reconcile/apply.ts';
import { recordSettled } from '../reconcile/run-record.ts';
import { report } from './apply.ts';
import { findTransaction } from './history.ts';
import type { Output } from './output.ts';
import { reporting } from './reporting.ts';
import { requireRoot } from './root.ts';

/** `confirm`: keeps a change that was tried with --confirm-timeout. */
export async function confirm(output: Output): Promise<ExitCode> {
  requireRoot('confirm');
  const lock = await takeLock(lockDirectory, 'confirm');
  try {
    const node = await openNode();
    try {
      const record = waiting(readJournals(journalDirectory).records);
      if (record === undefined || record.checkpoint === null) throw nothingToConfirm();
      const { id } = record.header;
      if (!(await checkpointExists(node.nm, record.checkpoint))) {
        end(id, 'reverted', 'it was not confirmed in time');
        recordSettled('confirm', id, 'reverted');
        throw new AgentError(
          'nothing-to-confirm',
          `transaction ${id} was not confirmed in time and has been reverted`,
          {
            hint: 'run `microshift-net apply` again',
          },
        );
      }
      await destroyCheckpoint(node.nm, record.checkpoint);
      end(id, 'confirmed', null);
      recordSettled('confirm', id, 'confirmed', record.header.plan);
      const text = `Confirmed: transaction ${id} stays.`;
      output.result(text, { command: 'confirm', transaction: id });
      if (output.isJournal) output.announce({ kind: 'committed', text, transaction: id });
      return exitCode.done;
    } finally {
      node.close();
    }
  } finally {
    lock.release();
  }
}

/** `undo [TX]`: goes back to before a transaction, the last one by default. */
export async function undo(id: string | undefined, output: Output): Promise<ExitCode> {
  requireRoot('undo');
  const { records } = readJournals(journalDirectory);
  const record = id === undefined ? records.find((entry) => isUndoable(entry)) : findTransaction(records, id);
  if (record === undefined)
    throw new AgentError('transaction-not-found', 'there is no transaction to undo', {
      hint: 'see `microshift-net history`',
    });
  if (!isUndoable(record)) {
    throw new AgentError(
      'transaction-not-found',
      `transaction ${record.header.id} changed nothing that could be undone: it is ${record.state}`,
      {
        hint: 'see `microshift-net history`',
      },
    );
  }
  if (record.state === 'awaiting-confirm') await takeBack(record, output);
  const result = await reconcile(
    (observation) => ({ kind: 'planned', plan: planUndo(record.header.previous, observation) }),
    { routeMs: 0, uplinkMs: 0 },
    { command: `undo ${record.header.id}`, confirmTimeoutSeconds: null, ...reporting(output) },
  );
  report('undo', result, output);
  output.say('The next boot and the next `apply` follow ovn.yaml again; change it to make this last.');
  return exitCode.done;
}

/** A try still in its time is taken back through its own checkpoint. */
async function takeBack(record: JournalRecord, output: Output): Promise<void> {
  const lock = await takeLock(lockDirectory, 'undo');
  try {
    const node = await openNode();
    try {
      const { previous, plan, id } = record.header;
      const ports = {
        reconnect: async () => node,
        planRestore,
        say: (message: string) => output.say(message),
      };
      const left = await restoreOldState(ports, previous, plan.before, record.checkpoint);
      const state = left === null ? 'reverted' : 'not-restored';
      end(id, state, left?.message ?? 'taken back by undo');
      recordSettled('undo', id, state);
      if (left !== null) throw withFacts(left, { transaction: id, ended: state });
    } finally {
      node.close();
    }
  } finally {
    lock.release();
  }
}

function waiting(records: readonly JournalRecord[]): JournalRecord | undefined {
  return records.find((record) => record.state === 'awaiting-confirm');
}

function isUndoable(record: JournalRecord): boolean {
  return ['committed', 'confirmed', 'awaiting-confirm'].includes(record.state);
}

function end(id: string, state: TransactionState, detail: string | null): void {
  const journal = reopenJournal(journalDirectory, id);
  journal.setState(state, new Date().toISOString(), detail);
  journal.close();
}

function nothingToConfirm(): AgentError {
  return new AgentError('nothing-to-confirm', 'no change waits to be confirmed', {
    hint: 'a change is tried with `microshift-net apply --confirm-timeout SECONDS`',
  });
}
