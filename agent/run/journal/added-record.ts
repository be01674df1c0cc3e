import { readSmallFile, removeFile, syncDirectory, writeFileAtomically } from '../../drivers/host/files/files.ts';
import { addedBridgesPath, parseAddedBridges } from '../../facts/hints.ts';
import type { AddedBridge } from '../../model/added-bridge.ts';
import type { JournalHeader, TransactionState } from '../../model/journal.ts';

/**
 * Updates the list of `bridge add` at the end of a transaction: to the list of the plan if the change was kept,
 * otherwise to the list from before. Runs while the journal is still open, so that recovery repeats it after a crash.
 * Fails with `state-unwritable`.
 */
export function settleAdded(
  { plan, previous }: Pick<JournalHeader, 'plan' | 'previous'>,
  state: TransactionState,
  directory: string,
): void {
  if (plan.wanted.added === undefined) return;
  const isKept = state === 'committed' || state === 'confirmed';
  writeAdded(isKept ? plan.wanted.added : (previous.added ?? []), `${directory}/bridges.json`);
}

/** Returns the list of `bridge add`. */
export function readAdded(): readonly AddedBridge[] {
  return parseAddedBridges(readSmallFile(addedBridgesPath));
}

/** Writes the list if it differs. An empty list is an absent file, which systemd checks as a start condition. */
export function writeAdded(list: readonly AddedBridge[], path = addedBridgesPath): void {
  const text = list.length === 0 ? null : `${JSON.stringify(list)}\n`;
  if (text === readSmallFile(path)) return;
  if (text !== null) writeFileAtomically(path, text);
  else {
    removeFile(path);
    syncDirectory(path.slice(0, path.lastIndexOf('/')));
  }
}
