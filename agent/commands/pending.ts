import { type ExpiryFacts, type PendingChange, pendingChange } from '../compare/pending-change.ts';
import { currentBootId } from '../drivers/host/kernel/boot-id.ts';
import { journalDirectory } from '../model/journal.ts';
import { confirmReserveSeconds } from '../model/limits.ts';
import type { Observation } from '../model/observation.ts';
import { readOpenJournals } from '../run/journal/journal-files.ts';

/**
 * Returns the facts that show whether the time to confirm a change has expired. `checkpoints` has the D-Bus paths of
 * NetworkManager's checkpoints; null if they are not known.
 */
export function expiryFacts(checkpoints: readonly string[] | null): ExpiryFacts {
  const endedBefore = new Date(Date.now() - confirmReserveSeconds * 1000).toISOString();
  return { bootId: currentBootId(), checkpoints, endedBefore };
}

/** Reads the change that waits for confirmation, or whose time to confirm is over; null if no such change exists. */
export function readPending({ networkManager }: Pick<Observation, 'networkManager'>): PendingChange | null {
  return pendingChange(readOpenJournals(journalDirectory).records, expiryFacts(networkManager.checkpoints));
}
