import type { RunningCommand } from './command.ts';
import type { TestNode } from './node.ts';

/**
 * Prints the journal of `-u UNIT` or `-t IDENTIFIER` from now on, including entries from before journalctl has begun to
 * follow, which `-n 0` would omit on a busy machine.
 */
export async function followJournal(node: TestNode, selected: string): Promise<RunningCommand> {
  const since = (await node.text('date +%s.%6N')).trim();
  return node.start(`journalctl -f --no-tail -o cat ${selected} --since @${since}`);
}
