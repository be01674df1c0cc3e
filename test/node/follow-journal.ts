import type { RunningCommand } from './command.ts';
import type { TestNode } from './node.ts';

/**
 * Prints the journal of `-u UNIT` or `-t IDENTIFIER` from the call on. On a busy machine, `-n 0` would omit entries
 * that are written before journalctl has begun to follow.
 */
export async function followJournal(node: TestNode, selected: string): Promise<RunningCommand> {
  const since = (await node.text('date +%s.%6N')).trim();
  return node.start(`journalctl -f --no-tail -o cat ${selected} --since @${since}`);
}
