// The help of every command at 60 and 80 columns: its width, its groups, the common options, the exit codes and the
// examples.
import t, { type Test } from 'tap';
import { commandsIn, helpOf } from './help-text.ts';

/** Returns the paths of all commands and groups, with their help at 80 columns. */
async function commandTree(path: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const help = await helpOf(path, 80);
  const below: (readonly [string, string])[] = [];
  for (const name of commandsIn(help)) below.push(...(await commandTree([...path, name])));
  return [[path.join(' '), help], ...below];
}

/** Returns the lines of a help that are wider than the terminal, without those of a single word. */
function wideLines(help: string, columns: number): readonly string[] {
  return help.split('\n').filter((line) => line.length > columns && /\S \S/.test(line.trim()));
}

/** Commands that end with exit code 3 because of a difference or a failed check, and those that roll back. */
const special = {
  3: 'verify;doctor;bridge list;firewall check;manifests diff;manifests status;overlay verify;overlay trace'.split(';'),
  4: 'apply;confirm;undo;recover;disable;bridge add;bridge remove;bridge apply;overlay init;overlay join;overlay gateway;overlay peer add;overlay peer remove;overlay port add;overlay port remove'.split(
    ';',
  ),
} as const;

/** Checks that a help lists the exit codes which the command can have, and describes its own failure. */
function checkExitCodes(t: Test, path: string, help: string, isGroup: boolean): void {
  const [, list = ''] = /\nExit codes:\n([\s\S]*)/.exec(help) ?? [];
  const codes = [...list.matchAll(/^ {2}(\d) {2}\w/gm)].map(([, code]) => Number(code));
  const mayHave = (code: 3 | 4): boolean =>
    special[code].some((one) => one === path || (isGroup && (path === '' || one.startsWith(`${path} `))));
  t.equal(codes[0], 0);
  for (const code of [3, 4] as const) t.equal(codes.includes(code), mayHave(code), `exit code ${code}`);
  t.ok(codes.includes(2));
  t.equal(codes.includes(1), path !== 'completion', 'exit code 1 is listed');
  const failed = / {2}1 {2}failed; ((?:.*\n {5})*.*)/.exec(list)?.[1]?.replaceAll(/\s+/g, ' ') ?? '';
  if (isGroup && path !== 'ovs' && path !== 'config')
    t.equal(failed, 'the help of each command describes the state after it');
  else if (/^(manifests|overlay pki|firewall|ovs|support)/.test(path)) t.notMatch(failed, /node is as before/);
}

t.test('the help of every command', async (t) => {
  const tree = await commandTree();
  const paths = tree.map(([path]) => path);
  for (const path of ['apply', 'config check', 'bridge add', 'manifests diff', 'overlay pki rotate', 'completion'])
    t.ok(paths.includes(path), `${path} is found`);
  for (const [path, help] of tree) {
    await t.test(path === '' ? 'the program' : path, async (t) => {
      t.match(help, `Usage: microshift-net${path === '' ? '' : ` ${path}`}`);
      t.match(help, /^Usage: .*\n(?: +.*\n)*\n\S.{9,}\n/, 'the help has a description');
      const options = path === '' ? 'Options' : 'Global Options';
      t.match(help, new RegExp(`\\n${options}:\\n {2}-V, --version .*\\n {2}--output <format> `));
      t.match(help, /\n {2}-v, --verbose /);
      t.match(help, /\n {2}-h, --help {2,}show this help\n/);
      checkExitCodes(t, path, help, commandsIn(help).length > 0);
      const [usage = ''] = help.split('\n');
      if (/[<[](?!options|command)/.test(usage))
        t.match(help, /\nExamples:\n {2}\$ microshift-net /, 'the help has an example');
      for (const [, argument] of help.replace(/\n\n[\s\S]*/, '').matchAll(/[<[](?!options|command)([\w-]+)[>\]]/g))
        t.match(help, new RegExp(`\\nArguments:\\n(?: .*\\n)*? {2}${argument} {2,}\\w`), `${argument} is described`);
      for (const [, words = ''] of help.replaceAll(/ \\\n */g, ' ').matchAll(/^ {2}\$ microshift-net (.*)/gm)) {
        const ofExample = tree.find(
          ([one]) =>
            one !== '' &&
            `${words} `.startsWith(`${one} `) &&
            !tree.some(([other]) => other.length > one.length && `${words} `.startsWith(`${other} `)),
        );
        for (const [option] of words.matchAll(/(?<= )--?[a-z][\w-]*/g))
          t.match(ofExample?.[1], new RegExp(`^ {2}.*${option}\\b`, 'm'), `${option} of the example "${words}"`);
      }
      t.notMatch(help, /default: (false|true)\)|undefined|\[object/);
      for (const columns of [60, 80]) {
        const shown = columns === 80 ? help : await helpOf(path.split(' ').filter(Boolean), columns);
        t.strictSame(wideLines(shown, columns), [], `${columns} columns`);
        t.strictSame(
          shown.replaceAll(/[\s\\]+/g, ' '),
          help.replaceAll(/[\s\\]+/g, ' '),
          `${columns} columns: nothing is cut`,
        );
      }
    });
  }
});
