import { type Command, CommanderError } from 'commander';
import type { Output } from '../commands/output.ts';
import { type ExitCode, exitCode } from '../errors.ts';

/** Runs a command; what was given on the command line follows the output. Without an exit code of its own it is done. */
type Run<Given extends unknown[]> = (output: Output, ...given: Given) => Promise<ExitCode> | Promise<void>;

/** Adds commands to the program, or to a group of it; without a name, what the program itself does. */
export type AddTo = (
  parent: Command,
) => <Given extends unknown[]>(spec: string, description: string, run: Run<Given>) => Command;

/** Gives a program its commands, parses the words, runs the command and returns the exit code. */
export async function parseAndRunWith(
  program: Command,
  words: readonly string[],
  open: () => Output,
  addCommands: (addTo: AddTo) => void,
): Promise<ExitCode> {
  let code: ExitCode = exitCode.done;
  let opened: Output | undefined;
  const output = (): Output => {
    opened ??= open();
    return opened;
  };
  program.exitOverride().showHelpAfterError(`(see ${program.name()} --help)`);
  addCommands((parent) => <Given extends unknown[]>(spec: string, description: string, run: Run<Given>) => {
    const command = (spec === '' ? parent : parent.command(spec)).description(description);
    return command.action(async (...given: Given) => {
      const ended = await run(output(), ...given);
      if (typeof ended === 'number') code = ended;
    });
  });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    return output().fail(error);
  } finally {
    await opened?.written();
  }
}
