import { currentBootId } from '../../drivers/host/kernel/boot-id.ts';
import type { JournalFacts } from '../../model/examination.ts';
import { type JournalRecord, journalDirectory } from '../../model/journal.ts';
import { readJournals } from '../journal/journal-files.ts';
import { lockDirectory, lockHolder } from '../lock.ts';

/** Returns the failures that the journal of a transaction records, in one sentence; null if it records none. */
function endOf({ detail, later }: JournalRecord): string | null {
  return later === null ? detail : `${detail ?? ''}; then ${later}`;
}

/** Reads the journals and the lock: open transactions, the last transaction, and the run in progress. */
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
