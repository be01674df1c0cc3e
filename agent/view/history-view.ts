import type { JournalRecord } from '../model/journal.ts';
import type { Plan } from '../model/plan.ts';
import { joinLines, type Style } from './style.ts';

/** One line per transaction, newest first. */
export function historyText(records: readonly JournalRecord[], style: Style): string {
  if (records.length === 0) return 'No transaction has been run yet.';
  const lines = records.map((record) => {
    const { id, command, plan } = record.header;
    const detail = record.detail === null ? '' : `  ${style('dim', record.detail)}`;
    return `${id}  ${record.state.padEnd(16)}  ${command.padEnd(12)}  ${bridgesText(plan.wanted)}${detail}`;
  });
  return joinLines(lines);
}

/** One transaction: what it aimed at, its steps and their times, how it ended. */
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
    `  before   ${bridgesText(header.previous)}`,
    `  after    ${bridgesText(header.plan.wanted)}`,
    ...steps,
  ]);
}

function bridgesText({ bridges }: Plan['wanted']): string {
  const texts = bridges.map(({ bridge, uplink }) => `${bridge} with ${uplink?.interface ?? 'no NIC'}`);
  return texts.length === 0 ? 'no bridge of ours' : texts.join(', ');
}
