import { AgentError } from '../../errors.ts';
import type { JournalRecord, TransactionState } from '../../model/journal.ts';
import type { Wanted } from '../../model/plan.ts';

/**
 * Returns the desired state of the last change that was kept in this boot; null if no change was kept. `records` are
 * the contents of the journals, newest first.
 */
export function lastKept(records: readonly JournalRecord[], bootId: string): Wanted | null {
  const kept = records.find(({ header, state }) => header.bootId === bootId && isKept(state));
  return kept?.header.plan.wanted ?? null;
}

/** Returns true for the states in which the change of a transaction is kept. */
export function isKept(state: TransactionState): boolean {
  return state === 'committed' || state === 'confirmed';
}

/** Commands that the units in systemd/ run. Every other command counts as run by a person. */
const unitCommands: readonly string[] = [
  'apply --boot',
  'apply --repair',
  'bridge apply',
  'bridge apply --stop',
  'disable --stop',
  'recover',
];

/**
 * Returns true for a change that a person requested; false for one that a unit made at boot, after an event or before a
 * service stops.
 */
export function isAskedFor({ header }: JournalRecord): boolean {
  return !unitCommands.includes(header.command);
}

/** Returns true for a transaction whose change is kept or awaits confirmation. */
export function hasChanged({ state }: JournalRecord): boolean {
  return isKept(state) || state === 'awaiting-confirm';
}

/** Returns the only transaction whose id begins with `id`. Fails with `transaction-not-found` for none or several. */
export function findTransaction(records: readonly JournalRecord[], id: string): JournalRecord {
  const found = records.filter((record) => record.header.id.startsWith(id));
  const [record] = found;
  if (record !== undefined && found.length === 1) return record;
  const known = records.map((entry) => entry.header.id);
  const why =
    found.length === 0
      ? 'no transaction has an id that begins with'
      : 'several transactions have an id that begins with';
  throw new AgentError('transaction-not-found', `${why} ${JSON.stringify(id)}`, {
    hint: known.length === 0 ? 'no transaction has been run on this node yet' : `use one of: ${known.join(', ')}`,
    facts: { known },
  });
}

/**
 * Returns a unique id, made of the UTC time to the second and the pid. The order of the ids is that of the
 * transactions, and determines the change to which a repair returns. The id is therefore greater than `newest`, the
 * last existing id, even if the clock was set back, as on a machine without a clock battery.
 */
export function transactionId(now: Date, pid: number, newest: string | null): string {
  const time = new Date(Math.max(now.getTime(), newest === null ? 0 : timeOf(newest) + 1000));
  return `${time.toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${pid.toString(16).padStart(4, '0')}`;
}

/** Returns the time at the start of an id, in milliseconds since 1970; 0 if the id is not valid. */
function timeOf(id: string): number {
  const written = id.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(written) || 0;
}
