import { AgentError } from '../errors.ts';
import type { JournalRecord } from '../model/journal.ts';
import type { Wanted } from '../model/plan.ts';

/** What the last change of this boot that was kept made the node to be; null: there was none. Newest record first. */
export function lastKept(records: readonly JournalRecord[], bootId: string): Wanted | null {
  const kept = records.find(
    ({ header, state }) => header.bootId === bootId && (state === 'committed' || state === 'confirmed'),
  );
  return kept?.header.plan.wanted ?? null;
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

/** Sorts and makes journals unique: UTC time to the second and the pid, of which there is one run at a time. */
export function transactionId(now: Date, pid: number): string {
  return `${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${pid.toString(16).padStart(4, '0')}`;
}
