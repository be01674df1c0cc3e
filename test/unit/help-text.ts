// Helps of commands, printed in the process of the test.
import { parseAndRun } from '../../agent/cli/program.ts';

/** Returns the help of a command for a terminal with this number of columns, printed in this process. */
export async function helpOf(path: readonly string[], columns: number): Promise<string> {
  const [write, before] = [process.stdout.write, process.env.COLUMNS];
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  process.env.COLUMNS = String(columns);
  try {
    const code = await parseAndRun([...path, '--help']);
    return code === 0 ? text : `exit code ${code}`;
  } finally {
    process.stdout.write = write;
    if (before === undefined) delete process.env.COLUMNS;
    else process.env.COLUMNS = before;
  }
}

/** Returns the names of the commands below a command, as its help lists them. */
export function commandsIn(help: string): readonly string[] {
  const groups = help.matchAll(/^(?:Commands|Commands [\w -]+):\n((?: {2}.*\n)+)/gm);
  return [...groups]
    .flatMap(([, lines = '']) => [...lines.matchAll(/^ {2}(\S+)/gm)])
    .flatMap(([, name = '']) => (name === 'help' ? [] : [name]));
}
