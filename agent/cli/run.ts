import { openOutput } from '../commands/output.ts';
import { exitCode } from '../errors.ts';

/** Names under which the package of the old commands has links to the program. */
const oldName = /(?:^|\/)(ovn-k8s-[^/]*)$/;

/**
 * Runs the command line and returns the exit code; `path` is what the program was started as. The unit's own `apply --boot` and the plain `apply` are known without parsing: the parser
 * is a tenth of a run with nothing to do.
 */
export async function runCommandLine(words: readonly string[], path: string): Promise<number> {
  const [, old] = oldName.exec(path) ?? [];
  if (old !== undefined) return (await import('./program.ts')).parseAndRunAs(old, words);
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
