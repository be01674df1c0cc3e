import { readSmallFile, removeFile, syncDirectory, writeFileAtomically } from '../drivers/host/files.ts';
import { addedBridgesPath, parseAddedBridges } from '../facts/hints.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import type { JournalHeader, TransactionState } from '../model/journal.ts';

/**
 * Makes the list of `bridge add` what a transaction that ends so leaves: as its plan wants it where it was kept, else as it was before. Called while
 * the journal still is open, so that a death in between is made good by whoever ends that. Fails with `state-unwritable`.
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

/** The list as it is. */
export function readAdded(): readonly AddedBridge[] {
  return parseAddedBridges(readSmallFile(addedBridgesPath));
}

/** Writes the list where it differs; an empty one is no file, which is how systemd knows that there is nothing to do. */
export function writeAdded(list: readonly AddedBridge[], path = addedBridgesPath): void {
  const text = list.length === 0 ? null : `${JSON.stringify(list)}\n`;
  if (text === readSmallFile(path)) return;
  if (text !== null) writeFileAtomically(path, text);
  else {
    removeFile(path);
    syncDirectory(path.slice(0, path.lastIndexOf('/')));
  }
}
