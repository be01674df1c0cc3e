import { type Output, openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';

/** Names under which the package of the old commands has links to the program. */
const oldName = /(?:^|\/)(ovn-k8s-[^/]*)$/;

/**
 * Runs the command line and returns the exit code; `path` is what the program was started as. What units run is known without parsing, and so is the plain
 * `apply`: the parser is a tenth of a run with nothing to do, and stays in the memory of a daemon.
 */
export async function runCommandLine(words: readonly string[], path: string): Promise<number> {
  const [, old] = oldName.exec(path) ?? [];
  if (old !== undefined) return (await import('./program.ts')).parseAndRunAs(old, path, words);
  const run = knownCommand(words.join(' '));
  if (run === null) {
    const { parseAndRun } = await import('./program.ts');
    return parseAndRun(words);
  }
  const output = openOutput('text', false);
  try {
    await run(output);
    return exitCode.done;
  } catch (error) {
    return output.fail(error);
  } finally {
    await output.written();
  }
}

function knownCommand(line: string): ((output: Output) => Promise<void>) | null {
  if (line === 'overlay run') return async (output) => (await import('../commands/overlay-run.ts')).run(output);
  if (line !== 'apply' && line !== 'apply --boot') return null;
  return async (output) => {
    const { apply } = await import('../commands/apply.ts');
    await apply({ boot: line === 'apply --boot', confirmTimeoutSeconds: null }, output);
  };
}
