import { type Output, openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';

/**
 * Pattern of the names that the tools of ovn-kubernetes had in 2017. A package of this product makes a link to the
 * program under each of these names.
 */
const oldName = /(?:^|\/)(ovn-k8s-[^/]*)$/;

/**
 * Runs the command line and returns the exit code; `path` is the path under which the program was started. `apply`,
 * `apply --boot` and `overlay run` without further words run without the parser. Loading the parser would take a tenth
 * of the time of a run that changes nothing, and would permanently occupy memory of a daemon.
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
    return output.fail(error, words.join(' '));
  } finally {
    await output.written();
  }
}

function knownCommand(line: string): ((output: Output) => Promise<void>) | null {
  if (line === 'overlay run') return async (output) => (await import('../commands/overlay-run-command.ts')).run(output);
  if (line !== 'apply' && line !== 'apply --boot') return null;
  return async (output) => {
    const { apply } = await import('../commands/apply-command.ts');
    await apply({ boot: line === 'apply --boot', confirmTimeoutSeconds: null }, output);
  };
}
