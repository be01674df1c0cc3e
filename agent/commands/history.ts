import { journalDirectory, readJournals } from '../apply/journal.ts';
import { AgentError, type ExitCode, exitCode } from '../errors.ts';
import type { JournalRecord } from '../model/journal.ts';
import { historyText, transactionText } from '../view/history-view.ts';
import type { Output } from './output.ts';
import { requireRoot } from './root.ts';

/** `history [TX]`: the last transactions, or one in detail. */
export function history(id: string | undefined, output: Output): ExitCode {
  requireRoot('history');
  const { records, unusable } = readJournals(journalDirectory);
  for (const file of unusable) output.say(`warning: ${file.path} is no usable journal: ${file.why}`);
  if (id === undefined) {
    output.result(historyText(records, output.style), { command: 'history', transactions: records.map(summary) });
    return exitCode.done;
  }
  const record = findTransaction(records, id);
  output.result(transactionText(record, output.style), { command: 'history', transaction: record });
  return exitCode.done;
}

/** The transaction with this id or beginning of an id. Fails with `transaction-not-found`. */
export function findTransaction(records: readonly JournalRecord[], id: string): JournalRecord {
  const found = records.filter((record) => record.header.id.startsWith(id));
  const [record] = found;
  if (record !== undefined && found.length === 1) return record;
  const known = records.map((entry) => entry.header.id);
  const why = found.length === 0 ? 'there is no transaction' : 'there are several transactions that begin with';
  throw new AgentError('transaction-not-found', `${why} ${JSON.stringify(id)}`, {
    hint: known.length === 0 ? 'none has been run yet' : `use one of: ${known.join(', ')}`,
    facts: { known },
  });
}

function summary(record: JournalRecord): object {
  const { id, command, startedAt, plan } = record.header;
  return { id, command, startedAt, state: record.state, detail: record.detail, uplink: plan.choice?.interface ?? null };
}
