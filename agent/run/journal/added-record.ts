import { readSmallFile, removeFile, syncDirectory, writeFileAtomically } from '../../drivers/host/files/files.ts';
import { addedBridgesPath, parseAddedBridges } from '../../facts/hints.ts';
import type { AddedBridge } from '../../model/added-bridge.ts';
import type { JournalHeader, TransactionState } from '../../model/journal.ts';

/**
 * Updates the file that lists the bridges of `bridge add` at the end of a transaction. The file gets the list of the
 * plan if the change was kept, otherwise the list from before the transaction. The journal is still open at this time,
 * so that recovery repeats the update after a crash. Fails with `state-unwritable`.
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

/** Returns the recorded bridges of `bridge add`. */
export function readAdded(): readonly AddedBridge[] {
  return parseAddedBridges(readSmallFile(addedBridgesPath));
}

/**
 * Writes the list of the bridges of `bridge add` if it differs from the file. Removes the file if the list is empty,
 * because microshift-net-bridges.service starts the agent only if the file exists.
 */
export function writeAdded(list: readonly AddedBridge[], path = addedBridgesPath): void {
  const text = list.length === 0 ? null : `${JSON.stringify(list)}\n`;
  if (text === readSmallFile(path)) return;
  if (text !== null) writeFileAtomically(path, text);
  else {
    removeFile(path);
    syncDirectory(path.slice(0, path.lastIndexOf('/')));
  }
}
