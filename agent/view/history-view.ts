import type { JournalRecord } from '../model/journal.ts';
import type { Plan } from '../model/plan.ts';
import { joinLines, type Style } from './style.ts';

/** Returns a line per transaction, the newest first. */
export function historyText(records: readonly JournalRecord[], style: Style): string {
  if (records.length === 0) return 'No transaction has been run yet.';
  const lines = records.map((record) => {
    const { id, command, plan } = record.header;
    const why = whyText(record);
    const detail = why === '' ? '' : `  ${style('dim', why)}`;
    return `${id}  ${record.state.padEnd(16)}  ${command.padEnd(12)}  ${bridgesText(plan.wanted)}${detail}`;
  });
  return joinLines(lines);
}

/** Returns one transaction: its aim, its steps with their times, and its end. */
export function transactionText(record: JournalRecord, style: Style): string {
  const { header } = record;
  const steps = header.plan.steps.flatMap((step, index) => {
    const took = record.stepTimesMs[index];
    const number = String(index + 1).padStart(2);
    return [`  ${number}  ${step.do} … ${took == null ? 'not done' : `${took} ms`}`, `      ${style('dim', step.why)}`];
  });
  return joinLines([
    `${style('bold', header.id)}  ${header.command}`,
    `  started  ${header.startedAt}`,
    `  ended    ${record.stateAt}  ${record.state}${record.detail === null ? '' : `: ${record.detail}`}`,
    ...(record.later === null ? [] : [`  then     ${record.later}`]),
    `  before   ${bridgesText(header.previous)}`,
    `  after    ${bridgesText(header.plan.wanted)}`,
    ...steps,
  ]);
}

/** Returns the failures of a transaction: the first one, then those of its rollback. */
function whyText({ detail, later }: JournalRecord): string {
  return [detail, later].filter((part) => part !== null).join('; then ');
}

function bridgesText({ bridges }: Plan['wanted']): string {
  const texts = bridges.map(({ bridge, uplink }) => `${bridge} with ${uplink?.interface ?? 'no NIC'}`);
  return texts.length === 0 ? 'no bridge of ours' : texts.join(', ');
}
