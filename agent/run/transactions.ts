import { AgentError } from '../errors.ts';
import type { JournalRecord, TransactionState } from '../model/journal.ts';
import type { Wanted } from '../model/plan.ts';

/** What the last change of this boot that was kept made the node to be; null: there was none. Newest record first. */
export function lastKept(records: readonly JournalRecord[], bootId: string): Wanted | null {
  const kept = records.find(({ header, state }) => header.bootId === bootId && isKept(state));
  return kept?.header.plan.wanted ?? null;
}

/** True where what a transaction has made is what the node is to be. */
export function isKept(state: TransactionState): boolean {
  return state === 'committed' || state === 'confirmed';
}

/** Commands that systemd's units run, in systemd/; a person asks for every other one. */
const unitCommands: readonly string[] = [
  'apply --boot',
  'apply --repair',
  'bridge apply',
  'bridge apply --stop',
  'disable --stop',
  'recover',
];

/** True for a change that a person asked for, and false for what a unit does by itself at boot, after an event or before a service stops. */
export function isAskedFor({ header }: JournalRecord): boolean {
  return !unitCommands.includes(header.command);
}

/** True for a transaction after which the node was another one than before. */
export function hasChanged({ state }: JournalRecord): boolean {
  return isKept(state) || state === 'awaiting-confirm';
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

/**
 * Sorts journals and makes them unique: UTC time to the second and the pid. It is after `newest`, the last id there is, also where the clock was set
 * back meanwhile, as on a machine whose clock has no battery: what was kept last is what a repair goes back to.
 */
export function transactionId(now: Date, pid: number, newest: string | null): string {
  const time = new Date(Math.max(now.getTime(), newest === null ? 0 : timeOf(newest) + 1000));
  return `${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${pid.toString(16).padStart(4, '0')}`;
}

/** Milliseconds since 1970 that an id begins with; 0: it is no id of ours. */
function timeOf(id: string): number {
  const written = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(written) || 0;
}
