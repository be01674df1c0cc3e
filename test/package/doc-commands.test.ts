// Every microshift-net command in the documentation exists in the program, with the documented options.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

const pages = [
  'README.md',
  ...['use', 'internals', 'lab'].flatMap((shelf) =>
    readdirSync(`docs/${shelf}`).map((name) => `docs/${shelf}/${name}`),
  ),
];
/** Command line that is wrong on purpose: docs/use/json.md shows the document of a usage error. */
const mistyped = '--output json aply';
const helps = new Map<string, string>();

function helpOf(path: readonly string[]): string {
  const key = path.join(' ');
  const known =
    helps.get(key) ??
    execFileSync(process.execPath, ['dist/microshift-net', ...path, '--help'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  helps.set(key, known);
  return known;
}

function has(help: string, command: string): boolean {
  return new RegExp(`^ {2}${command}(\\|| |$)`, 'm').test(
    help
      .split(/^Commands.*:$/m)
      .slice(1)
      .join(''),
  );
}

for (const page of pages) {
  const shown = [...readFileSync(page, 'utf8').matchAll(/^(?: {4})(?:\$ |sudo )*microshift-net ([a-z-].*)$/gm)]
    .map(([, words = '']) => words)
    .filter((words) => words !== mistyped);
  t.test(page, { skip: shown.length === 0 && 'the page shows no command' }, (t) => {
    for (const line of shown) {
      const [text = ''] = line.split(/\s(?:#|\||>|&&|;)/);
      const words = text.trim().split(/\s+/);
      const path: string[] = [];
      for (const word of words) {
        if (word.startsWith('-') && path.length === 0) continue;
        if (word.startsWith('-') || !has(helpOf(path), word)) break;
        path.push(word);
      }
      t.ok(path.length > 0, `${page}: microshift-net ${text}`);
      const help = helpOf([]) + helpOf(path);
      for (const option of words.filter((word) => /^--?[a-z]/.test(word))) {
        t.ok(help.includes(option.split('=')[0] ?? ''), `${page}: ${option} of microshift-net ${path.join(' ')}`);
      }
    }
    t.end();
  });
}
