import { journalDirectory, readJournals } from '../apply/journal.ts';
import { withLock } from '../apply/lock.ts';
import { checkpointExists, restoreOldState } from '../apply/restore.ts';
import { type Node, withNode } from '../assemble.ts';
import { destroyCheckpoint } from '../drivers/networkmanager/checkpoint.ts';
import { AgentError, type ExitCode, exitCode, withFacts } from '../errors.ts';
import type { JournalRecord } from '../model/journal.ts';
import { planRestore, planUndo } from '../plan/plan.ts';
import { reconcile } from '../reconcile/apply.ts';
import { endTransaction } from '../reconcile/run-record.ts';
import { report } from './apply.ts';
import { findTransaction } from './history.ts';
import type { Output } from './output.ts';
import { reporting } from './reporting.ts';
import { requireRoot } from './root.ts';

/** `confirm`: keeps a change that was tried with --confirm-timeout. */
export async function confirm(output: Output): Promise<ExitCode> {
  requireRoot('confirm');
  return withLock('confirm', () => withNode((node) => keep(node, output)));
}

async function keep(node: Node, output: Output): Promise<ExitCode> {
  const record = waiting(readJournals(journalDirectory).records);
  if (record === undefined || record.checkpoint === null) throw nothingToConfirm();
  const { id, plan } = record.header;
  if (!(await checkpointExists(node.nm, record.checkpoint))) {
    endTransaction('confirm', id, 'reverted', 'it was not confirmed in time');
    const text = `transaction ${id} was not confirmed in time and has been reverted`;
    throw new AgentError('nothing-to-confirm', text, { hint: 'run `microshift-net apply` again' });
  }
  await destroyCheckpoint(node.nm, record.checkpoint);
  endTransaction('confirm', id, 'confirmed', null, plan);
  const text = `Confirmed: transaction ${id} stays.`;
  output.result(text, { command: 'confirm', transaction: id });
  if (output.isJournal) output.announce({ kind: 'committed', text, transaction: id });
  return exitCode.done;
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
function takeBack({ header, checkpoint }: JournalRecord, output: Output): Promise<void> {
  const say = (message: string): void => output.say(message);
  return withLock('undo', () =>
    withNode(async (node) => {
      const ports = { reconnect: async () => node, planRestore, say };
      const left = await restoreOldState(ports, header.previous, header.plan.before, checkpoint);
      const state = left === null ? 'reverted' : 'not-restored';
      endTransaction('undo', header.id, state, left?.message ?? 'taken back by undo');
      if (left !== null) throw withFacts(left, { transaction: header.id, ended: state });
    }),
  );
}

function waiting(records: readonly JournalRecord[]): JournalRecord | undefined {
  return records.find((record) => record.state === 'awaiting-confirm');
}

function isUndoable(record: JournalRecord): boolean {
  return ['committed', 'confirmed', 'awaiting-confirm'].includes(record.state);
}

function nothingToConfirm(): AgentError {
  return new AgentError('nothing-to-confirm', 'no change waits to be confirmed', {
    hint: 'a change is tried with `microshift-net apply --confirm-timeout SECONDS`',
  });
}
