import { type Output, openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';

/**
 * Runs the command line and returns the exit code. What units run is known without parsing, and so is the plain `apply`: the parser is a tenth of a run
 * with nothing to do, and stays in the memory of a daemon.
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
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
