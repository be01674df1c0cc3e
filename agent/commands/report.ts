import { planInWords } from '../compare/in-words.ts';
import type { TransactionResult } from '../model/run-record.ts';
import type { ReconcileResult } from '../run/reconcile.ts';
import { drawTopology, plannedTopology } from '../view/topology.ts';
import type { Output } from './output.ts';

const nothingToDoText = 'Nothing to do: the node is as wanted.';

/** Prints the result of a run, as text and as JSON. */
export function report(command: string, result: ReconcileResult, output: Output): void {
  const { plan, observation, transaction, tuning } = result;
  const outcome = transaction === null && tuning.steps.length === 0 ? 'unchanged' : 'changed';
  output.result(reportText(result, output), {
    command,
    outcome,
    transaction,
    plan: planInWords(plan),
    tuning,
    busCalls: result.busCalls,
    ...(output.verbose ? { observation } : {}),
  });
  if (transaction !== null && output.isJournal)
    output.announce({ kind: 'committed', text: doneText(transaction), transaction: transaction.id });
}

function reportText({ plan, observation, transaction, tuning }: ReconcileResult, output: Output): string {
  if (transaction === null) {
    return tuning.steps.length === 0
      ? nothingToDoText
      : 'Done: Open vSwitch is tuned; the network was as wanted already.';
  }
  const drawing = drawTopology(plannedTopology(plan, observation), output.style);
  return output.isJournal ? drawing : `${drawing}\n${doneText(transaction)}`;
}

function doneText({ id, state, confirmUntil }: TransactionResult): string {
  const confirm =
    confirmUntil === null
      ? ''
      : `\nKeep it with \`microshift-net confirm\` before ${confirmUntil}; otherwise it is rolled back.`;
  return `Done: transaction ${id} ${state}.${confirm}`;
}
