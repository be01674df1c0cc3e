import { Argument, Command, type ErrorOptions, type Option } from 'commander';

/**
 * Names of preview commands, by the name of the command whose effect the preview shows. The error about an unknown
 * option `--dry-run` recommends the preview.
 */
const previews: Readonly<Record<string, string>> = {
  'overlay apply': 'overlay plan',
  'manifests apply': 'manifests diff',
  'firewall apply': 'firewall check',
  'bridge apply': 'bridge list',
};

/** Commands that change nothing; the error about an unknown option `--dry-run` says so. */
const lookers = ['plan', 'verify', 'status', 'doctor', 'history', 'overlay plan', 'overlay verify', 'manifests diff'];

/** Descriptions of commands' arguments, by the name of the argument. */
const argumentDescriptions: Readonly<Record<string, string>> = {
  bundle: 'file of `overlay pki issue`; - is standard input',
  destination: 'NAMESPACE/POD, node, service, address or port of OVN',
  file: 'file to read (default: /etc/microshift/ovn.yaml)',
  name: 'name of the other cluster',
  nic: 'name of an interface, as in `ip link`',
  'nic-or-bridge': 'one of the names in `microshift-net bridge list`',
  node: 'name of the node in the cluster',
  source: 'NAMESPACE/POD, node, address or port of OVN',
  transaction: 'id in `microshift-net history`, or the beginning of one',
};

/** Message of the parser about an argument whose value is not among its choices. */
const wrongArgument = /^error: command-argument value '(.*)' is invalid for argument '(.*)'\./;

/** A command whose error messages name all missing arguments and options, and refer to the help of this command. */
export class AgentCommand extends Command {
  override createCommand(name?: string): Command {
    return new AgentCommand(name);
  }

  override createArgument(name: string, description?: string): Argument {
    const argument = new Argument(name, description);
    argument.description ||= argumentDescriptions[argument.name()] ?? '';
    return argument;
  }

  /** Prints an error of usage with a reference to the help, and throws a CommanderError. */
  override error(message: string, options?: ErrorOptions): never {
    const missing = options?.code === 'commander.missingArgument' || isMissingOption(options);
    if (missing) return super.error(`error: ${this.missingText() ?? message.replace(/^error: /, '')}`, options);
    if (options?.code === 'commander.unknownOption' && /'--dry-run/.test(message))
      return super.error(`${message}\n${previewHint(this)}`, options);
    if (options?.code === 'commander.unknownOption' && /'-o/.test(message))
      return super.error(
        "error: option '-o' of this command is short for --output; its value is text or json",
        options,
      );
    return super.error(
      message.replace(wrongArgument, "error: the value '$1' of the argument '$2' is invalid."),
      options,
    );
  }

  /**
   * Returns a text that names all required arguments and options that are missing, or null if fewer than two are
   * missing.
   */
  private missingText(): string | null {
    const words = this.registeredArguments.filter(({ required }, index) => required && this.args[index] === undefined);
    const isAbsent = (option: Option): boolean =>
      option.mandatory && this.getOptionValue(option.attributeName()) === undefined;
    const options = this.options.filter(isAbsent);
    if (words.length + options.length < 2) return null;
    const named = [
      ...listed(
        'argument',
        words.map((argument) => argument.name()),
      ),
      ...listed(
        'option',
        options.map(({ flags }) => flags),
      ),
    ];
    return `missing required ${named.join(' and ')}`;
  }
}

/** Returns a command as it is typed: `microshift-net overlay pki issue`. */
export function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Returns the path of a command below its program: `overlay pki issue`; the empty string for the program. */
export function commandPath(command: Command): string {
  return fullName(command).split(' ').slice(1).join(' ');
}

/**
 * Returns a list with one text, which contains the given names of arguments or options: `argument 'a'`, or `arguments
 * 'a', 'b'`. The list is empty if no names are given.
 */
function listed(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`${what}${names.length === 1 ? '' : 's'} ${names.map((name) => `'${name}'`).join(', ')}`];
}

function isMissingOption(options: ErrorOptions | undefined): boolean {
  return options?.code === 'commander.missingMandatoryOptionValue';
}

function previewHint(command: Command): string {
  const path = commandPath(command);
  const preview = previews[path];
  if (path === '')
    return '(microshift-net plan shows what apply would do; other commands with a preview take --dry-run behind their name)';
  if (preview !== undefined) return `(microshift-net ${preview} shows what it would do, and changes nothing)`;
  return lookers.includes(path)
    ? '(this command changes nothing)'
    : '(microshift-net plan shows what apply would do; this command has no preview)';
}
