import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { checks } from '../../agent/doctor/checks.ts';
import { errorTable, exitCode } from '../../agent/errors.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

t.test('docs/use/troubleshooting.md has one heading per error kind, in the order of the table', (t) => {
  const headings = [...read('docs/use/troubleshooting.md').matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  t.strictSame(headings, Object.keys(errorTable));
  t.end();
});

t.test('every kind of error is described with its own exit code and no other', (t) => {
  const sections = read('docs/use/troubleshooting.md').split(/^## /m).slice(1);
  for (const [kind, { exitCode: code }] of Object.entries(errorTable)) {
    const section = sections.find((text) => text.startsWith(`${kind}\n`)) ?? '';
    const named = [...section.matchAll(/exit\s+code\s+(\d)/gi)].map((match) => Number(match[1]));
    t.ok(
      named.every((one) => one === code),
      `${kind}: exit code ${code}, the page says ${named.join(', ')}`,
    );
  }
  t.end();
});

t.test('docs/use/doctor.md has one row per check, in the order of a report', (t) => {
  const rows = [...read('docs/use/doctor.md').matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);
  t.strictSame(
    rows,
    checks.map((check) => check.id),
  );
  t.end();
});

t.test('the report in docs/use/doctor.md counts every check', (t) => {
  const summary = /^ +\d+ failed, .* not applicable$/m.exec(read('docs/use/doctor.md'))?.[0] ?? '';
  const counts = [...summary.matchAll(/\d+/g)].map(Number);
  t.equal(
    counts.reduce((sum, count) => sum + count, 0),
    checks.length,
  );
  t.end();
});

t.test('docs/use/commands.md lists every exit code once', (t) => {
  const table = /^## Exit codes$([\s\S]*)/m.exec(read('docs/use/commands.md'))?.[1] ?? '';
  const codes = [...table.matchAll(/^\| (\d) \|/gm)].map((match) => Number(match[1]));
  t.strictSame(codes, Object.values(exitCode).toSorted());
  t.end();
});

t.test('targets of links between the documents exist', (t) => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...markdownBelow('docs')];
  for (const page of pages) {
    for (const [, target = ''] of read(page).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      t.ok(existsSync(join(dirname(page), target)), `${page} links to ${target}`);
    }
  }
  t.end();
});

t.test('files of the project that the documents name exist', (t) => {
  const named =
    /(?<![\w/.-])(?:agent|config|docs|rpm|systemd|test)\/[\w./-]*\w\.(?:ts|js|sh|md|json|yaml|txt|spec)\b(?!\.\w)/g;
  const isMade = (path: string): boolean => /^rpm\/out\/|\*|NAME/.test(path);
  for (const page of [
    'README.md',
    'CONTRIBUTING.md',
    ...['use', 'internals'].flatMap((shelf) => markdownBelow(`docs/${shelf}`)),
  ])
    for (const [path] of read(page).matchAll(named)) t.ok(isMade(path) || existsSync(path), `${page}: ${path}`);
  const steps = /^## The transaction, step by step$([\s\S]*?)^## /m.exec(read('docs/internals/design.md'))?.[1] ?? '';
  const ofSteps = [...steps.matchAll(/\b(?:run|drivers)\/[\w/-]+\.ts/g)].map(([path]) => `agent/${path}`);
  t.ok(ofSteps.length > 10);
  for (const path of ofSteps) t.ok(existsSync(path), `docs/internals/design.md: ${path}`);
  t.end();
});

t.test('docs/internals/overlay.md names tests that exist', (t) => {
  const table = /^## Defects of the first tool$([\s\S]*)/m.exec(read('docs/internals/overlay.md'))?.[1] ?? '';
  const rows = [...table.matchAll(/^\| \d+ \| .* \| (.*) \|$/gm)].map(([, cell = '']) => cell);
  t.equal(rows.length, 18);
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const textOf = (part: string): string =>
    files
      .filter((file) => file.endsWith(`/${part}`) || file.endsWith(`/${part}.test.ts`))
      .map((file) => read(join('test', file)))
      .join('\n');
  let file = '';
  for (const part of rows.join('; ').split('; ')) {
    const [, name = file, title = ''] = /^(?:(\S+?)(?:: |$))?(.*)$/.exec(part) ?? [];
    file = name.replace(/^test\//, '');
    if (existsSync(join('test', file)))
      for (const one of title.split(', ').filter((word) => word !== ''))
        t.ok(textOf(`${file}/${one}`) !== '' || files.includes(`${file}/${one}.test.ts`), part);
    else t.ok(textOf(file) !== '' && textOf(file).includes(title), part);
  }
  t.end();
});

function markdownBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}
