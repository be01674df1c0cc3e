import { type Command, CommanderError } from 'commander';
import type { Output } from '../commands/output.ts';
import { type ExitCode, exitCode } from '../errors.ts';

/**
 * Function of a command, with the output and the arguments of the command line. The exit code is 0 if it returns none.
 */
type Run<Given extends unknown[]> = (output: Output, ...given: Given) => Promise<ExitCode> | Promise<void>;

/**
 * Function that adds commands to the program or to a group of it; with an empty name, the function of the program
 * itself.
 */
export type AddTo = (
  parent: Command,
) => <Given extends unknown[]>(spec: string, description: string, run: Run<Given>) => Command;

/** Adds the commands of a program, parses the words, runs the command and returns the exit code. */
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
  // Commands inherit these settings. The help of each also lists the options that all commands have.
  program.exitOverride().showHelpAfterError(`(see ${program.name()} --help)`);
  program.configureHelp({ showGlobalOptions: true });
  addCommands((parent) => <Given extends unknown[]>(spec: string, description: string, run: Run<Given>) => {
    const command = (spec === '' ? parent : parent.command(spec)).description(description);
    command.showHelpAfterError(`(see ${fullName(command)} --help)`);
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

/** Returns a command as it is typed: `microshift-net overlay pki issue`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}
