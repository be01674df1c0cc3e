import { openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';

/**
 * Runs the command line and returns the exit code. The unit's own `apply --boot` and the plain `apply` are known without parsing: the parser
 * is a tenth of a run with nothing to do.
 */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const [command, option, ...more] = words;
  if (command !== 'apply' || more.length > 0 || (option !== undefined && option !== '--boot')) {
    const { parseAndRun } = await import('./program.ts');
    return parseAndRun(words);
  }
  const output = openOutput('text', false);
  try {
    const { apply } = await import('../commands/apply.ts');
    await apply({ boot: option === '--boot', confirmTimeoutSeconds: null }, output);
    return exitCode.done;
  } catch (error) {
    return output.fail(error);
  } finally {
    await output.written();
  }
}
