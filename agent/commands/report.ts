import { planInWords } from '../compare/in-words.ts';
import type { TransactionResult } from '../model/run-record.ts';
import type { ReconcileResult } from '../run/reconcile.ts';
import type { UndoResult } from '../run/undo.ts';
import { type RunCommand, repairDocument, runDocument } from '../view/json/run-json.ts';
import type { Unchanged } from '../view/plan-view.ts';
import { clockTime, relativeTime } from '../view/time.ts';
import { drawTopology, observedTopology, plannedTopology } from '../view/topology.ts';
import type { Output } from './output.ts';

/** Sentences for a node on which `disable` finds no br-ex of the agent. */
export const withoutBrEx: Unchanged = {
  whole: 'the agent has no br-ex on this node',
  bridges: 'The agent has no br-ex on this node',
};

/** Result of a run; `reverted` is the id of the change that waited for confirmation and was rolled back first. */
type Result = ReconcileResult & Partial<Pick<UndoResult, 'reverted'>>;

/** Prints the result of a run, as text and as JSON. */
export function report(command: RunCommand, result: Result, output: Output): void {
  const { plan, observation, transaction, busCalls } = result;
  const diagnostics = { plan: planInWords(plan), observation, busCalls };
  output.result(reportText(command, result, output), runDocument(command, result), diagnostics);
  announceCommitted(transaction, output);
}

/**
 * Prints, as one document, the results of a repair and of the run after the repair. That run made bridges for NICs that
 * appeared late. `late` is null if no such run took place.
 */
export function reportRepair(result: Result, late: Result | null, output: Output): void {
  output.result('', repairDocument(result, late), { plan: planInWords(result.plan), observation: result.observation });
  for (const one of [result, late]) announceCommitted(one?.transaction ?? null, output);
}

function announceCommitted(transaction: TransactionResult | null, output: Output): void {
  if (transaction !== null && output.isJournal)
    output.announce({ kind: 'committed', text: doneText(transaction), transaction: transaction.id });
}

function reportText(
  command: string,
  { plan, observation, transaction, tuning, reverted = null }: Result,
  output: Output,
): string {
  const revertedText = `Done: transaction ${reverted}, which waited for confirmation, is rolled back.`;
  if (transaction === null && reverted !== null)
    return `${drawTopology(observedTopology(observation), output.style)}\n${revertedText}`;
  if (transaction === null) {
    if (command === 'disable')
      return tuning.steps.length === 0
        ? `Nothing to do: ${withoutBrEx.whole}.`
        : `Done: Open vSwitch is not tuned any more; ${withoutBrEx.whole}.`;
    return tuning.steps.length === 0
      ? 'Nothing to do: the node is in the desired state.'
      : 'Done: Open vSwitch is tuned; the network was in the desired state already.';
  }
  const drawing = drawTopology(plannedTopology(plan, observation), output.style);
  return output.isJournal ? drawing : `${drawing}\n${doneText(transaction)}`;
}

function doneText({ id, state, confirmUntil }: TransactionResult): string {
  const confirm =
    confirmUntil === null
      ? ''
      : `\nKeep it with \`microshift-net confirm\` before ${clockTime(confirmUntil)} (${relativeTime(Date.parse(confirmUntil), Date.now())}); otherwise it is rolled back.`;
  return `Done: transaction ${id} ${state}.${confirm}`;
}
