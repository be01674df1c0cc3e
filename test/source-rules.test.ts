// Rules about the texts of source files: calls that no file, or only one file, may contain, the length of files, and
// names that no tracked file may contain.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import t from 'tap';
import { type Source, sources } from './architecture/agent-sources.ts';

const maxLines = 240;
const files = trackedFiles();
const noCheckout = files.length === 0 && 'git cannot list the files of this folder';

t.test(
  'plan, compare, doctor, overlay, workload, trace, cni, net and model use no clock, no randomness and no process',
  (t) => {
    // A hash is not random; the table of layers says which layer may import node:crypto.
    const impure =
      /\b(Date|Math\.random|random(?:Bytes|Int|UUID|FillSync)|process|performance|(?<!node:)crypto|globalThis|fetch|setTimeout|setInterval|await|Promise)\b/;
    const pure = sources.filter(({ file }) =>
      /^(plan|compare|doctor|overlay|workload|trace|cni|net|model)\//.test(file),
    );
    t.ok(pure.length > 200, `${pure.length} files`);
    t.strictSame(matching(pure, impure), []);
    t.end();
  },
);

t.test('planning and address arithmetic use only isIP of node:net, and no sockets', (t) => {
  for (const source of sources.filter((entry) => /^(plan|net)\//.test(entry.file))) {
    const names = /import \{([^}]*)\} from 'node:net'/.exec(source.code)?.[1]?.split(',') ?? [];
    t.ok(
      names.every((name) => /^\s*isIP(v4|v6)?\s*$/.test(name)),
      source.file,
    );
  }
  t.end();
});

t.test('only main.ts ends the process and reads its arguments, and console is not used', (t) => {
  t.strictSame(matching(sources, /\bconsole\./), []);
  const others = sources.filter(({ file }) => file !== 'main.ts');
  t.strictSame(matching(others, /\bprocess\.(exit|argv)\b/), []);
  t.end();
});

t.test('nothing depends on a locale, whose data takes a tenth of a run to load', (t) => {
  t.strictSame(matching(sources, /\blocaleCompare\(|\bIntl\.|\.toLocale\w+\(/), []);
  t.end();
});

t.test('a server of a test outlives a connection that its client has reset', (t) => {
  const files = readdirSync('test', { recursive: true }).map(String);
  for (const file of files.filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(path.join('test', file), 'utf8');
    for (const [server] of text.matchAll(/createServer\(\(\w+\) => \w+\..*/g))
      t.match(server, "=> socket.on('error'", file);
  }
  t.end();
});

t.test('regular-file.ts reads files up to a limit, and never cuts them', (t) => {
  // These files also read: fault-points.ts and collect.ts report a file that is too large, and listening-sockets.ts
  // need not read all of the kernel's table, because listening sockets come before connections.
  const others = [
    'run/fault-points.ts',
    'support/collect.ts',
    'regular-file.ts',
    'drivers/host/kernel/listening-sockets.ts',
  ];
  const rest = sources.filter(({ file }) => !others.includes(file));
  t.strictSame(matching(rest, /\breadSync\(/), []);
  t.end();
});

t.test('no name or path becomes part of a shell script', (t) => {
  // Programs are started by drivers/host/process/exec.ts.
  t.strictSame(matching(sources, /node:child_process|\bprocess\.binding\b/), []);
  // Programs get a list of arguments, and no shell parses them.
  t.strictSame(matching(sources, /\bshell\s*:|\bexecaCommand|\{[^}]*\$[^}]*\} = await import\('execa'\)/), []);
  for (const { file, code } of sources) {
    // A shell gets a constant script; its parameters follow as separate arguments.
    for (const [, words = ''] of code.matchAll(/'(?:ba|da)?sh', \[(?:'-c', )?([^\]]*)\]/g)) {
      t.match(words, /^script(,|$)/, `${file}: ${words}`);
      t.match(
        code,
        /const script =\s*(?:'[^']*'|`(?:(?!\$\{)[^`])*`);/,
        `${file}: the script is a constant without inserted values`,
      );
    }
  }
  t.end();
});

t.test(`no file has more than ${maxLines} lines besides comments`, (t) => {
  const long = sources.flatMap(({ file, text }) => {
    const code = text.replaceAll(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)\n/gm, '');
    const lines = code.split('\n').length - 1;
    return lines > maxLines && !file.includes('.generated.') ? [`${file}: ${lines}`] : [];
  });
  t.strictSame(long, []);
  t.end();
});

t.test('every limit has the reason for its value', (t) => {
  const limit = /^(export )?const \w+(Ms|Seconds|Bytes) = [\d_* ]+;/;
  for (const { file, text } of sources) {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (!limit.test(line)) return;
      // Several limits in consecutive lines can share one comment.
      let above = index - 1;
      while (limit.test(lines[above] ?? '')) above -= 1;
      t.match(lines[above], /\*\/$|^\/\//, `${file}:${index + 1} has a comment above it`);
    });
  }
  t.end();
});

t.test('no file names a package registry or a path of a development machine', { skip: noCheckout }, (t) => {
  // The names are incomplete here, because this file would otherwise contain the forbidden texts.
  const registries = [
    'registry.npmjs',
    'registry.yarnpkg',
    'npm.pkg.github',
    'pypi',
    'files.pythonhosted',
    'proxy.golang',
    'sum.golang',
    'index.crates',
    'rubygems',
  ]
    .map((name) => `${name.replaceAll('.', '\\.')}\\.(?:org|com|io)`)
    .concat(['deb', 'security', 'snapshot'].map((name) => `${name}\\.${'debian'}\\.org`));
  const ownRegistry = hostOf(process.env.npm_config_registry);
  const forbidden = new RegExp(
    [...registries, ...(ownRegistry === null ? [] : [escapeRegExp(ownRegistry)])].join('|'),
    'i',
  );
  const homesOfPeople = /(?:^|[\s"'`=(])(?:\/home\/[a-z][\w-]*\/|\/Users\/\w+\/|[A-Z]:\\Users\\)/m;
  const checkout = `${process.cwd()}/`;
  const home = homedir();
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    const found = forbidden.exec(text)?.[0] ?? homesOfPeople.exec(text)?.[0].trim();
    const own = checkout.split('/').length > 3 && text.includes(checkout) ? checkout : undefined;
    const ownHome = home.startsWith('/home/') && text.includes(`${home}/`) ? home : undefined;
    if ((found ?? own ?? ownHome) !== undefined) t.fail(`${file} has ${found ?? own ?? ownHome}`);
  }
  t.end();
});

/** Returns the files whose code matches, each with the first match. */
function matching(entries: readonly Source[], pattern: RegExp): readonly string[] {
  return entries.flatMap(({ file, code }) => {
    const found = pattern.exec(code);
    return found === null ? [] : [`${file}: ${found[0]}`];
  });
}

function trackedFiles(): readonly string[] {
  try {
    const names = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return names.split('\0').filter((name) => name !== '' && existsSync(name));
  } catch {
    return [];
  }
}

function hostOf(url: string | undefined): string | null {
  const host = url === undefined || !URL.canParse(url) ? '' : new URL(url).host;
  return host === '' ? null : host;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
