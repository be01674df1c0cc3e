import { openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';
import { reportFailure } from './failure.ts';

/**
 * Runs the command line and returns the exit code; `program` is the file that was started. The unit's own `apply --boot` and the plain
 * `apply` are known without parsing: the parser is a tenth of a run with nothing to do.
 */
export async function runCommandLine(words: readonly string[], program: string): Promise<number> {
  const [command, option, ...more] = words;
  if (command !== 'apply' || more.length > 0 || (option !== undefined && option !== '--boot')) {
    const { parseAndRun } = await import('./program.ts');
    return parseAndRun(words);
  }
  return plainApply(option === '--boot', program);
}

async function plainApply(boot: boolean, program: string): Promise<number> {
  const output = openOutput('text', false);
  try {
    const { buildOf, nothingToDo } = await import('../commands/nothing-to-do.ts');
    const agentBuild = buildOf(program);
    if (await nothingToDo(boot, agentBuild, output)) return exitCode.done;
    const { apply } = await import('../commands/apply.ts');
    return await apply({ boot, confirmTimeoutSeconds: null, agentBuild }, output);
  } catch (error) {
    return reportFailure(error, output);
  } finally {
    await output.written();
  }
}
