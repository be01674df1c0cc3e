import { currentBootId } from '../drivers/host/boot-id.ts';
import type { JournalFacts } from '../model/examination.ts';
import { type JournalRecord, journalDirectory } from '../model/journal.ts';
import { readJournals } from './journal.ts';
import { lockDirectory, lockHolder } from './lock.ts';

/** Every failure of a transaction in one sentence; null: there is nothing to say. */
function endOf({ detail, later }: JournalRecord): string | null {
  return later === null ? detail : `${detail ?? ''}; then ${later}`;
}

/** What the journals and the lock say of runs: those that are open, the last one, and one that is under way. */
export function readJournalFacts(): JournalFacts {
  const { records, unusable } = readJournals(journalDirectory);
  const bootId = currentBootId();
  const [last] = records;
  return {
    open: records
      .filter(({ state }) => state === 'open' || state === 'awaiting-confirm')
      .map(({ header, state, confirmUntil }) => {
        return { id: header.id, state, command: header.command, confirmUntil, ofThisBoot: header.bootId === bootId };
      }),
    unusable,
    last: last === undefined ? null : { id: last.header.id, state: last.state, detail: endOf(last) },
    running: lockHolder(lockDirectory),
  };
}
