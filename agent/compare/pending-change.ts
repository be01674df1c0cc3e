import type { JournalRecord } from '../model/journal.ts';

/**
 * A change that a command with `--confirm-timeout` has made and that was neither confirmed nor recorded as reverted.
 */
export interface PendingChange {
  readonly id: string;
  readonly command: string;
  /** End of the time to confirm, in ISO 8601; null if the journal does not have it. */
  readonly confirmUntil: string | null;
  /** `expired` if NetworkManager has rolled the change back and no run has recorded that yet. */
  readonly state: 'waiting' | 'expired';
}

/** Facts that show that a change has ended although its journal does not contain the end yet. */
export interface ExpiryFacts {
  readonly bootId: string;
  /**
   * D-Bus paths of NetworkManager's checkpoints; null if they were not read. Without them, a change counts as expired
   * if its time to confirm has ended before `endedBefore`.
   */
  readonly checkpoints: readonly string[] | null;
  /**
   * Present time minus 30 s, in ISO 8601 and UTC. NetworkManager rolls an unconfirmed change back 30 s after the end of
   * the time to confirm, unless the agent has done so before. A change whose time to confirm ended before this moment
   * is therefore rolled back.
   */
  readonly endedBefore: string;
}

/**
 * Returns the change of this boot that waits for confirmation, or whose time to confirm is over; null if no such change
 * exists.
 */
export function pendingChange(records: readonly JournalRecord[], facts: ExpiryFacts): PendingChange | null {
  const record = records.find(({ state, header }) => state === 'awaiting-confirm' && header.bootId === facts.bootId);
  if (record === undefined) return null;
  const { header, confirmUntil } = record;
  return {
    id: header.id,
    command: header.command,
    confirmUntil,
    state: isExpired(record, facts) ? 'expired' : 'waiting',
  };
}

/**
 * Returns the content of a transaction's journal with the present state of the change, even if no run has written that
 * state into the journal. A reboot reverts an unconfirmed change. Without a reboot, the agent reverts the change at the
 * end of the time to confirm, or NetworkManager reverts it 30 s later.
 */
export function presentRecord(record: JournalRecord, facts: ExpiryFacts): JournalRecord {
  if (record.state !== 'awaiting-confirm') return record;
  if (record.header.bootId !== facts.bootId)
    return { ...record, state: 'reverted', detail: 'the machine was rebooted before it was confirmed' };
  return isExpired(record, facts) ? { ...record, state: 'reverted', detail: 'it was not confirmed in time' } : record;
}

function isExpired({ checkpoint, confirmUntil }: JournalRecord, { checkpoints, endedBefore }: ExpiryFacts): boolean {
  if (checkpoints !== null && checkpoint !== null) return !checkpoints.includes(checkpoint);
  // The times are compared as text, because the texts that toISOString() returns sort by time.
  return confirmUntil !== null && confirmUntil <= endedBefore;
}
