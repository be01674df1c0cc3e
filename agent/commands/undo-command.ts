import { defaultConfig } from '../config/defaults.ts';
import { usableConfig } from '../config/effective.ts';
import { keepTried } from '../run/confirm.ts';
import { undoTransaction } from '../run/undo.ts';
import type { Output } from './output.ts';
import { report } from './report.ts';
import { reporting } from './reporting.ts';
import { requireRoot } from './root.ts';

/** `confirm`: keeps a change that was applied with --confirm-timeout. */
export async function confirm(output: Output): Promise<void> {
  requireRoot('confirm');
  const id = await keepTried(output);
  const text = `Confirmed: transaction ${id} stays.`;
  output.result(text, { command: 'confirm', outcome: 'confirmed', transaction: id });
  if (output.isJournal) output.announce({ kind: 'committed', text, transaction: id });
}

/**
 * `undo [TX]`: returns the node to the state before a transaction; without TX, to the state before the last transaction
 * that a person requested.
 */
export async function undo(id: string | undefined, output: Output): Promise<void> {
  requireRoot('undo');
  // If ovn.yaml is invalid, the defaults apply, so that a change can be undone in any case.
  const { config } = await usableConfig().catch(() => ({ config: defaultConfig }));
  report('undo', await undoTransaction(id, config, reporting(output)), output);
  output.say('The next boot and the next `apply` follow ovn.yaml again; change it to make this last.');
}
