import { type Command, CommanderError, Help, Option } from 'commander';
import type { Output } from '../commands/output.ts';
import { fittedTo, terminalWidth } from '../commands/terminal-width.ts';
import { AgentError, type ExitCode, exitCode, isAgentError, withDetails } from '../errors.ts';
import { shellWord } from '../printable.ts';
import { fullName } from './agent-command.ts';

/** Width of the word `Usage: ` in columns. The second and later lines of a usage text are indented by this width. */
const usageIndent = 7;

/** Returns the width of a help text in columns; 80 if the stream is not a terminal and COLUMNS is not set. */
export function helpWidth(stream: NodeJS.WriteStream): number {
  return terminalWidth(stream) ?? 80;
}

/**
 * Function of a command, which is called with the Output to which it prints, and with the arguments of the command
 * line. The exit code is 0 if the function returns none.
 */
type Run<Given extends unknown[]> = (output: Output, ...given: Given) => Promise<ExitCode> | Promise<void>;

/**
 * Function that takes a parent, which is the program or a group of commands, and returns a function that adds a command
 * to this parent. `spec` is the name of the command with its arguments, and `run` is its function. If `spec` is empty,
 * `run` becomes the function of the parent itself.
 */
export type AddTo = (
  parent: Command,
) => <Given extends unknown[]>(
  spec: string,
  description: string,
  run: Run<Given>,
  visibility?: { readonly hidden: boolean },
) => Command;

/** Adds the commands of a program, parses the words of the command line, runs the command and returns the exit code. */
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
  const complaints: string[] = [];
  // Commands inherit the settings of the program. The help of each command also lists the options that all commands
  // have.
  program.exitOverride().showHelpAfterError(`(see ${program.name()} --help)`);
  program.configureHelp({
    showGlobalOptions: true,
    minWidthToWrap: 20,
    // Leaves out "[options]" in a list of commands, so that the descriptions have space on a narrow terminal.
    subcommandTerm(command) {
      return Help.prototype.subcommandTerm.call(this, command).replace(' [options]', '');
    },
    commandUsage(command) {
      const usage = Help.prototype.commandUsage.call(this, command);
      const indent = ' '.repeat(usageIndent);
      const columns = (this.helpWidth ?? 80) - usageIndent;
      return Help.prototype.boxWrap.call(this, usage, columns).replaceAll('\n', `\n${indent}`);
    },
    // Leaves out "(default: false)", with which the parser would end the description of an option without a value.
    optionDescription(option) {
      return option.isBoolean() ? option.description : Help.prototype.optionDescription.call(this, option);
    },
  });
  program.configureOutput({
    writeErr: (text) => complaints.push(text),
    getOutHelpWidth: () => helpWidth(process.stdout),
    getErrHelpWidth: () => helpWidth(process.stderr),
  });
  addCommands(
    (parent) =>
      <Given extends unknown[]>(spec: string, description: string, run: Run<Given>, visibility = {}) => {
        parent.showHelpAfterError(`(see ${fullName(parent)} --help)`);
        if (spec !== '') parent.helpCommand('help [command]', 'show the help of a command');
        const command = (spec === '' ? parent : parent.command(spec, visibility)).description(description);
        command.showHelpAfterError(`(see ${fullName(command)} --help)`);
        return command.action(async (...given: Given) => {
          const ended = await run(output(), ...given);
          if (typeof ended === 'number') code = ended;
        });
      },
  );
  const given = withFormat(words);
  // An error about an option names the help of the typed command, even if all commands have the option.
  const named = namedCommand(program, given);
  program.showHelpAfterError(`(see ${fullName(named)} --help)`);
  try {
    await program.parseAsync([...given], { from: 'user' });
    return code;
  } catch (error) {
    const command = named === program ? null : fullName(named).replace(`${program.name()} `, '');
    if (!(error instanceof CommanderError)) return output().fail(withWords(error, program, words), command);
    if (error.exitCode === 0) return exitCode.done;
    if (output().format === 'json') return output().fail(usageError(error, fullName(named)), command);
    const text = complaints.join('').replace(/^error:/, `${program.name()}:`);
    process.stderr.write(fittedTo(process.stderr, text));
    return exitCode.usage;
  } finally {
    await opened?.written();
  }
}

/**
 * Replaces `-o json` and `-o text` by the option `--output`, in every command, up to the word `--`. Some commands have
 * an option `-o` for a file; a file named `json` or `text` has to be typed with its folder (`-o ./json`).
 */
function withFormat(words: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return words.map((word, index) => {
    if (index >= end) return word;
    if (word === '-o' && isFormat(words[index + 1])) return '--output';
    return /^-o=?(?:json|text)$/.test(word) ? `--output=${word.slice(-4)}` : word;
  });
}

function isFormat(word: string | undefined): boolean {
  return word === 'json' || word === 'text';
}

/** Creates an option without a value that only units of systemd use. `--help` and completion leave it out. */
export function internalOption(flag: string, description: string): Option {
  return new Option(flag, description).default(false).hideHelp();
}

/**
 * Returns the error of a command that only root may run, with a hint that repeats the command line behind sudo; returns
 * any other error unchanged.
 */
function withWords(error: unknown, program: Command, words: readonly string[]): unknown {
  if (!isAgentError(error) || error.kind !== 'not-root') return error;
  return withDetails(error, { hint: `run: ${['sudo', program.name(), ...words].map(shellWord).join(' ')}` });
}

/** Returns an error of the command-line parser as an AgentError. */
function usageError({ code, message }: CommanderError, command: string): AgentError {
  // The parser prints the help instead of a message if a command is missing (commander, Command.help).
  const isMissing = code === 'commander.help';
  const text = isMissing ? 'a command is missing' : message.replace(/^error: /, '').replaceAll('\n', ' ');
  return new AgentError('bad-usage', text, { hint: `see ${command} --help` });
}

/**
 * Returns the innermost command that the words name. The search ends at the first word that is neither a command, nor
 * an option, nor the value of an option of the program.
 */
function namedCommand(program: Command, words: readonly string[]): Command {
  let found = program;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    // The word after an option such as --output is the value of the option and names no command.
    const option = program.options.find(({ short, long }) => word === short || word === long);
    if (option?.required === true) index += 1;
    const next = found.commands.find((entry) => entry.name() === word);
    if (next === undefined && !word.startsWith('-') && option === undefined) return found;
    found = next ?? found;
  }
  return found;
}
