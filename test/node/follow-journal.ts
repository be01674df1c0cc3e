import type { RunningCommand } from './command.ts';
import type { TestNode } from './node.ts';

/**
 * The journal from now on, of what `-u UNIT` or `-t IDENTIFIER` selects: also what is written before journalctl has
 * begun to follow it, which `-n 0` would leave out on a busy machine.
 */
export async function followJournal(node: TestNode, selected: string): Promise<RunningCommand> {
  const since = (await node.text('date +%s.%6N')).trim();
  return node.start(`journalctl -f --no-tail -o cat ${selected} --since @${since}`);
}
