import type { Command, Option } from 'commander';
import { commandPath } from './agent-command.ts';

/** Shells for which there is a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** Values that an option or an argument accepts. */
type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'files' | 'ids' | 'any' };

interface OptionEntry {
  /** Spellings of the option: `-v`, `--verbose`. */
  readonly names: readonly string[];
  readonly description: string;
  /** Values that the option accepts; null for an option without a value. */
  readonly values: Values | null;
}

interface CommandEntry {
  /** Path of the command below the program: `overlay pki issue`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly options: readonly OptionEntry[];
  readonly values: Values;
}

/** Returns the completion script of a program for a shell. Hidden commands and options are left out. */
export function completionScript(program: Command, shellName: Shell): string {
  const entries = entriesOf(program);
  const common = optionsOf(program);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shellName](entries, common);
}

function entriesOf(command: Command): readonly CommandEntry[] {
  const subs = command.createHelp().visibleCommands(command);
  const entry = {
    path: commandPath(command),
    description: command.description(),
    commands: subs.map((sub) => ({ name: sub.name(), description: sub.description() })),
    options: command.parent === null ? [] : optionsOf(command),
    values: valuesOf(command.registeredArguments[0]?.name(), command.registeredArguments[0]?.argChoices),
  };
  return [entry, ...subs.filter((sub) => command.commands.includes(sub)).flatMap(entriesOf)];
}

function optionsOf(command: Command): readonly OptionEntry[] {
  const visible = command.createHelp().visibleOptions(command);
  return visible.map((option) => ({
    names: namesOf(option),
    description: option.description,
    values: option.required || option.optional ? valuesOf(/<(.+)>/.exec(option.flags)?.[1], option.argChoices) : null,
  }));
}

/** Returns the spellings of an option. */
function namesOf({ short, long }: Option): readonly string[] {
  return [short, long].filter((name) => name !== undefined);
}

function valuesOf(name: string | undefined, choices: readonly string[] | undefined): Values {
  if (choices !== undefined) return { kind: 'words', words: choices };
  if (name === 'transaction') return { kind: 'ids' };
  return { kind: name === 'file' || name === 'dir' || name === 'bundle' ? 'files' : 'any' };
}

const idsFolder = '/var/lib/microshift-net/tx';
const idPattern = '^[0-9]{8}T[0-9]{6}Z-[0-9a-f]+$';

function bashScript(entries: readonly CommandEntry[], common: readonly OptionEntry[]): string {
  const cases = (render: (entry: CommandEntry) => string | null): string =>
    entries
      .flatMap((entry) => {
        const text = render(entry);
        return text === null ? [] : [`        '${entry.path}') ${text} ;;`];
      })
      .join('\n');
  return `# bash completion for microshift-net; made by \`microshift-net completion bash\`
_microshift_net() {
  local current=\${COMP_WORDS[COMP_CWORD]} last=\${COMP_WORDS[COMP_CWORD - 1]} path='' words='' word
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    [[ '${pathsText(entries)}' == *"|\${path:+$path }$word|"* && '${valueOptions(entries, common)}' != *"|\${COMP_WORDS[i - 1]}|"* ]] && path="\${path:+$path }$word"
  done
  case "$path:$last" in
${optionCases(entries, common, bashValues)}
    *)
      case $path in
${cases((entry) => (entry.commands.length > 0 ? `words='${entry.commands.map(({ name }) => name).join(' ')}'` : bashValues(entry.values)))}
      esac
      if [[ $current == -* ]]; then
        case $path in
${cases(({ options }) => (options.length === 0 ? null : `words='${options.flatMap(({ names }) => names).join(' ')}'`))}
        *) words='' ;;
        esac
        words="$words ${[...common.flatMap(({ names }) => names), '--help'].join(' ')}"
      fi
      ;;
  esac
  # compgen -W is not used, because it expands the words.
  COMPREPLY=()
  read -r -d '' -a words <<< "$words"
  for word in "\${words[@]}"; do
    [[ $word == "$current"* ]] && COMPREPLY+=("$word")
  done
}
complete -F _microshift_net microshift-net
`;
}

function bashValues(values: Values): string | null {
  if (values.kind === 'words') return `words='${values.words.join(' ')}'`;
  if (values.kind === 'files')
    return '[[ $current == -?* ]] || { mapfile -t COMPREPLY < <(compgen -f -- "$current"); return; }';
  // The ids of transactions are read from the names of the journals' files. A file whose name is not an id with an
  // ending is left out, because bash would need such a name quoted.
  return values.kind === 'ids'
    ? `words=$(cd ${idsFolder} 2> /dev/null && for word in *; do [[ \${word%.*} =~ ${idPattern} ]] && echo "\${word%.*}"; done)`
    : null;
}

/**
 * Returns the branches of the script's `case` statement that complete the values of options. Their patterns are
 * `path:option`, or `*:option` for options that every command has.
 */
function optionCases(
  entries: readonly CommandEntry[],
  common: readonly OptionEntry[],
  render: (values: Values) => string | null,
): string {
  const branch = (path: string, { names, values }: OptionEntry): readonly string[] => {
    if (values === null) return [];
    const places = names.map((name) => (path === '*' ? `*:${name}` : `'${path}:${name}'`)).join(' | ');
    return [`    ${places}) ${render(values) ?? "words=''"} ;;`];
  };
  return [
    ...entries.flatMap(({ path, options }) => options.flatMap((option) => branch(path, option))),
    ...common.flatMap((option) => branch('*', option)),
  ].join('\n');
}

/** Returns the known paths of commands in one text, with a bar before and after each: `|plan|overlay plan|`. */
function pathsText(entries: readonly CommandEntry[]): string {
  return `|${entries
    .map(({ path }) => path)
    .filter((path) => path !== '')
    .join('|')}|`;
}

/** Returns the options that take a value in one text, with a bar before and after each: `|-o|--output|`. */
function valueOptions(entries: readonly CommandEntry[], common: readonly OptionEntry[]): string {
  const all = [...common, ...entries.flatMap(({ options }) => options)].filter(({ values }) => values !== null);
  return `|${[...new Set(all.flatMap(({ names }) => names))].join('|')}|`;
}

function zshScript(entries: readonly CommandEntry[], common: readonly OptionEntry[]): string {
  const described = (list: readonly { readonly name: string; readonly description: string }[]): string =>
    list.map(({ name, description }) => quoted(`${name}:${description}`)).join(' ');
  const optionsText = (options: readonly OptionEntry[]): string =>
    described(options.flatMap(({ names, description }) => names.map((name) => ({ name, description }))));
  const cases = entries
    .map(({ path, commands, options, values }) => {
      const offered = commands.length > 0 ? `commands=(${described(commands)})` : (zshValues(values) ?? ':');
      return `    '${path}') options=(${optionsText(options)}); [[ $current == -* ]] || { ${offered}; } ;;`;
    })
    .join('\n');
  return `#compdef microshift-net
# zsh completion for microshift-net; made by \`microshift-net completion zsh\`
_microshift_net() {
  local current=$words[CURRENT] last=$words[CURRENT-1] path_below='' word i
  local -a commands options ids
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    [[ '${pathsText(entries)}' == *"|\${path_below:+$path_below }$word|"* && '${valueOptions(entries, common)}' != *"|$words[i-1]|"* ]] && path_below="\${path_below:+$path_below }$word"
  done
  case "$path_below:$last" in
${optionCases(entries, common, (values) => `${zshValues(values) ?? ':'}; return`)}
  esac
  case $path_below in
${cases}
  esac
  (( $#commands )) && _describe command commands
  if [[ $current == -* ]]; then
    options+=(${optionsText([...common, helpOption])})
    _describe option options
  fi
}
_microshift_net "$@"
`;
}

const helpOption: OptionEntry = { names: ['--help'], description: 'show the help', values: null };

function zshValues(values: Values): string | null {
  if (values.kind === 'words') return `compadd -- ${values.words.join(' ')}`;
  if (values.kind === 'files') return '_files';
  return values.kind === 'ids' ? `ids=(${idsFolder}/*(N:t:r)); (( $#ids )) && compadd -- $ids` : null;
}

function fishScript(entries: readonly CommandEntry[], common: readonly OptionEntry[]): string {
  const lines = entries.flatMap(({ path, commands, options, values }) => {
    const where = `complete -c microshift-net -n '__microshift_net_at "${path}"'`;
    return [
      ...commands.map(({ name, description }) => `${where} -a ${name} -d ${fishQuoted(description)}`),
      ...(commands.length > 0 ? [] : fishValues(values).map((text) => `${where} ${text}`)),
      ...options.map((option) => `${where} ${fishOption(option)}`),
    ];
  });
  const everywhere = [...common, helpOption].map((option) => `complete -c microshift-net ${fishOption(option)}`);
  return `# fish completion for microshift-net; made by \`microshift-net completion fish\`
function __microshift_net_at
    set -l path ''
    set -l words (commandline -opc)
    set -l last ''
    for word in $words[2..]
        set -l next (string trim -- "$path $word")
        if string match -q -- "*|$next|*" '${pathsText(entries)}'; and not string match -q -- "*|$last|*" '${valueOptions(entries, common)}'
            set path $next
        end
        set last $word
    end
    test "$path" = "$argv[1]"
end
complete -c microshift-net -f
${[...lines, ...everywhere].join('\n')}
`;
}

function fishOption({ names, description, values }: OptionEntry): string {
  const spellings = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = values === null ? [] : [values.kind === 'files' ? '-r' : '-x', ...fishValues(values)];
  return [...spellings, ...taken, '-d', fishQuoted(description)].join(' ');
}

function fishValues(values: Values): readonly string[] {
  if (values.kind === 'words') return [`-a '${values.words.join(' ')}'`];
  if (values.kind === 'files') return ['-F'];
  return values.kind === 'ids'
    ? [`-a '(string replace -r "\\\\.[a-z]+\\$" "" -- (path basename ${idsFolder}/*))'`]
    : [];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
