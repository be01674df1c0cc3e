import type { JournalRecord, TransactionState } from '../model/journal.ts';
import type { Plan, Step } from '../model/plan.ts';
import { stepTitle } from '../model/step-title.ts';
import { joinLines, type Style } from './style.ts';
import { tableLines } from './table.ts';
import { durationText, momentText, relativeTime } from './time.ts';

/**
 * Colours of the states of a transaction: red for an incomplete rollback, yellow for a change that is not kept, or not
 * kept yet.
 */
const stateColour = {
  open: 'yellow',
  committed: 'green',
  'awaiting-confirm': 'yellow',
  confirmed: 'green',
  reverted: 'yellow',
  'rolled-back': 'yellow',
  interrupted: 'yellow',
  'not-restored': 'red',
} as const satisfies Record<TransactionState, string>;

/**
 * Returns the transactions, the newest first. On a terminal, they are a table of at most `width` columns with the
 * reasons wrapped below. With a null width, as in a pipe, each transaction is one line without a header.
 */
export function historyText(
  records: readonly JournalRecord[],
  style: Style,
  width: number | null,
  nowMs: number,
): string {
  if (records.length === 0) return 'No transaction has been run yet.';
  if (width === null) return joinLines(records.map((record) => recordLine(record, style)));
  const rows = records.map((record) => {
    const { id, command, plan, startedAt } = record.header;
    const why = whyText(record);
    const steps = record.stepTimesMs.filter((took) => took !== null);
    const took = steps.length === 0 ? '-' : durationText(steps.reduce((sum, one) => sum + one, 0));
    const when = relativeTime(Date.parse(startedAt), nowMs);
    return {
      cells: [id, style(stateColour[record.state], record.state), command, when, took, bridgesText(plan.wanted)],
      below: why === '' ? null : why,
    };
  });
  return joinLines(
    tableLines(['TRANSACTION', 'STATE', 'COMMAND', 'STARTED', 'STEPS TOOK', 'BRIDGES'], rows, width, style),
  );
}

function recordLine(record: JournalRecord, style: Style): string {
  const { id, command, plan } = record.header;
  const why = whyText(record);
  const detail = why === '' ? '' : `  ${style('dim', why)}`;
  return `${id}  ${record.state.padEnd(16)}  ${command.padEnd(12)}  ${bridgesText(plan.wanted)}${detail}`;
}

/** Returns one transaction: its aim, its steps in the words of `apply` with their times, and its end. */
export function transactionText(record: JournalRecord, style: Style, nowMs: number): string {
  const { header } = record;
  const total = header.plan.steps.length;
  const steps = header.plan.steps.flatMap((step, index) => {
    const took = record.stepTimesMs[index];
    const number = String(index + 1).padStart(Math.max(2, String(total).length));
    const end = took == null ? 'not done' : `${took} ms`;
    return [`  ${number}  ${titleOf(step)} … ${end}`, `      ${style('dim', step.why)}`];
  });
  return joinLines([
    `${style('bold', header.id)}  ${header.command}`,
    `  started  ${momentText(header.startedAt, nowMs)}`,
    `  ended    ${momentText(record.stateAt, nowMs)}  ${record.state}${record.detail === null ? '' : `: ${record.detail}`}`,
    ...(record.later === null ? [] : [`  then     ${record.later}`]),
    `  before   ${bridgesText(header.previous)}`,
    `  ${isInEffect(record) ? 'after  ' : 'planned'}  ${bridgesText(header.plan.wanted)}`,
    ...steps,
  ]);
}

/**
 * Returns true if the transaction has brought the node into the planned state, even if a later transaction has changed
 * it.
 */
function isInEffect({ state }: JournalRecord): boolean {
  return ['committed', 'awaiting-confirm', 'confirmed'].includes(state);
}

/** Returns the title of a step, or its kind if this version does not know the arguments of the step. */
function titleOf(step: Step): string {
  try {
    return stepTitle(step);
  } catch {
    return step.do;
  }
}

/**
 * Returns the reason for the state of a transaction, and the failures that followed, such as those of a rollback; empty
 * if neither exists.
 */
function whyText({ detail, later }: JournalRecord): string {
  return [detail, later].filter((part) => part !== null).join('; then ');
}

function bridgesText({ bridges }: Plan['wanted']): string {
  const texts = bridges.map(({ bridge, uplink }) => `${bridge} with ${uplink?.interface ?? 'no NIC'}`);
  return texts.length === 0 ? 'no bridge of microshift-net' : texts.join(', ');
}
