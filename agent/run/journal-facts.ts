import { currentBootId } from '../drivers/host/boot-id.ts';
import type { JournalFacts } from '../model/examination.ts';
import { journalDirectory } from '../model/journal.ts';
import { readJournals } from './journal.ts';
import { lockDirectory, lockHolder } from './lock.ts';

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
    last: last === undefined ? null : { id: last.header.id, state: last.state, detail: last.detail },
    running: lockHolder(lockDirectory),
  };
}
