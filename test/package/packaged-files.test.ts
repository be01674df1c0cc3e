// Files of the package other than the program: man pages, completion, shell scripts.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { bridges, profileIds, profileUuid } from '../../agent/model/names.ts';
import { messageTable } from '../../agent/run/messages.ts';

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const dist = 'dist/microshift-net';
/** Returns the commands that a `--help` lists, in its order. */
const commandsOf = (...words: string[]): string[] => {
  const help = execFileSync(process.execPath, [dist, ...words, '--help'], { encoding: 'utf8' });
  const list = help
    .split(/^Commands.*:$/m)
    .slice(1)
    .join('');
  return [...list.matchAll(/^ {2}([a-z-]+)/gm)].flatMap(([, name]) => (name === undefined ? [] : [name]));
};

t.test('man pages have no warnings', { skip: !has('man') && 'man is not installed' }, (t) => {
  for (const page of readdirSync('docs/man')) {
    const { status, stderr } = spawnSync('man', ['-l', '--warnings', `docs/man/${page}`], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '100' },
    });
    t.equal(status, 0, page);
    t.equal(stderr, '', page);
  }
  t.end();
});

const base = execFileSync('bash', ['test/node/build-base.sh', '--path'], { encoding: 'utf8' }).trim();
const isBuilt = existsSync(path.join(base, 'usr/bin/man')) && process.getuid?.() === 0;

t.test(
  'the node of the demonstrations shows man pages in a pager, and completes commands',
  { skip: !isBuilt && 'the test node is not built, or this is not root' },
  (t) => {
    const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec chroot "$0" "$@"';
    const inBase = (input: string, ...words: string[]) =>
      spawnSync('unshare', ['-m', '--propagation', 'private', 'sh', '-c', script, base, ...words], {
        encoding: 'utf8',
        input,
      });
    const page = readFileSync('docs/man/microshift-net.8', 'utf8');
    t.match(inBase(page, 'man', '-P', 'cat', '-l', '-'), {
      status: 0,
      stdout: /^MICROSHIFT-NET\(8\)[\s\S]*EXIT STATUS/i,
    });
    t.match(inBase('a text\n', 'less', '-F'), { status: 0, stdout: 'a text\n' });
    const loads = '. /usr/share/bash-completion/bash_completion && declare -F _comp_load __load_completion';
    t.match(inBase('', 'bash', '-c', loads).stdout, /load/);
    t.end();
  },
);

t.test('large parts that are seldom used are in separate files', (t) => {
  const holders = (name: string): readonly string[] =>
    readdirSync('dist').filter(
      (file) => file.endsWith('.cjs') && readFileSync(`dist/${file}`, 'latin1').includes(`\n// node_modules/${name}/`),
    );
  t.strictSame(holders('@kubernetes/client-node'), ['kubernetes.cjs']);
  t.strictSame(holders('execa'), ['execa.cjs']);
  t.end();
});

t.test('every bundle is ASCII, which V8 keeps at one byte per character', (t) => {
  for (const file of readdirSync('dist').filter((name) => name.endsWith('.cjs')))
    t.ok(
      readFileSync(`dist/${file}`).every((byte) => byte < 0x80),
      file,
    );
  t.end();
});

t.test('microshift-net(8) has every command', (t) => {
  const page = readFileSync('docs/man/microshift-net.8', 'utf8');
  for (const name of commandsOf().filter((entry) => entry !== 'help')) {
    t.match(page.replaceAll('\\-', '-'), new RegExp(`^\\.(B|BR|I) "?${name}`, 'm'), name);
  }
  t.end();
});

t.test('microshift-net(8) has every option that --help has', (t) => {
  const page = readFileSync('docs/man/microshift-net.8', 'utf8').replaceAll('\\-', '-');
  for (const words of [
    'apply',
    'bridge add',
    'bridge remove',
    'disable',
    'support-bundle',
    'status',
    'overlay gateway',
  ]) {
    const help = execFileSync(process.execPath, [dist, ...words.split(' '), '--help'], { encoding: 'utf8' });
    for (const [, option = ''] of help.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm))
      t.ok(page.includes(`--${option}`), `${words} --${option}`);
  }
  t.end();
});

t.test('ovn.yaml(5) has every key', (t) => {
  const page = readFileSync('docs/man/ovn.yaml.5', 'utf8');
  const { properties } = JSON.parse(readFileSync('config/ovn.schema.json', 'utf8')) as {
    properties: Record<string, { properties?: object }>;
  };
  for (const [name, { properties: inner }] of Object.entries(properties)) {
    for (const key of inner === undefined ? [name] : Object.keys(inner).map((part) => `${name}.${part}`))
      t.ok(page.includes(key), key);
  }
  t.end();
});

const completions = Object.fromEntries(
  ['bash', 'zsh', 'fish'].map((shell) => [
    shell,
    execFileSync(process.execPath, [dist, 'completion', shell], { encoding: 'utf8' }),
  ]),
);

/** Returns the words that bash's completion offers after the given words. */
function completed(words: readonly string[], before = ''): string[] {
  const script = `${completions.bash}${before}\nCOMP_WORDS=(microshift-net "$@"); COMP_CWORD=$#; _microshift_net; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const shown = execFileSync('bash', ['-c', script, 'bash', ...words], {
    encoding: 'utf8',
  });
  return shown.split('\n').filter((line) => line !== '');
}

t.test('completion knows every command', { skip: !has('bash') && 'bash is not installed' }, (t) => {
  for (const path of ['', 'bridge', 'config', 'manifests', 'overlay', 'overlay pki', 'ovs', 'firewall']) {
    const words = path === '' ? [] : path.split(' ');
    t.strictSame(completed([...words, '']).toSorted(), commandsOf(...words).toSorted(), path);
  }
  for (const [words, expected] of [
    ['overlay pki renew --d', ['--days']],
    ['--output json st', ['status']],
    ['--output j', ['json']],
    ['manifests diff --flavor c', ['classic']],
    ['bridge add --name apply --f', ['--force']],
    ['apply --b', []],
    ['completion f', ['fish']],
  ] as const)
    t.strictSame(completed(words.split(' ')), expected, words);
  t.end();
});

t.test('the shells accept their scripts', (t) => {
  const folder = t.testdir(completions);
  for (const shell of Object.keys(completions)) {
    if (has(shell))
      t.match(
        spawnSync(shell, ['-n', path.join(folder, shell)], { encoding: 'utf8' }),
        { status: 0, stderr: '' },
        shell,
      );
    else t.comment(`${shell} is not installed`);
  }
  t.end();
});

t.test(
  'completion does not execute a command in the name of a file',
  { skip: !has('bash') && 'bash is not installed' },
  (t) => {
    const id = '20261123T024523Z-0429';
    const folder = t.testdir({
      [`${id}.json`]: '',
      '$(touch evil).json': '',
      '`touch evil`.open': '',
      '*': '',
      '-x.json': '',
    });
    // The real folder belongs to root; the test uses another one.
    const shown = completed(['undo', ''], `cd() { builtin cd "${folder}"; }`);
    t.strictSame(shown, [id]);
    t.strictSame([existsSync(path.join(folder, 'evil')), existsSync('evil')], [false, false]);
    t.end();
  },
);

t.test('the catalog explains every message', { skip: !has('journalctl') && 'journalctl is not installed' }, (t) => {
  const root = t.testdir();
  for (const folder of ['usr/lib/systemd/catalog', 'var/lib/systemd/catalog'])
    mkdirSync(path.join(root, folder), { recursive: true });
  copyFileSync('systemd/microshift-net.catalog', path.join(root, 'usr/lib/systemd/catalog/microshift-net.catalog'));
  const journalctl = (word: string) => spawnSync('journalctl', [`--root=${root}`, word], { encoding: 'utf8' });
  t.match(journalctl('--update-catalog'), { status: 0, stderr: '' }, 'systemd accepts the catalog');
  const listed = journalctl('--list-catalog').stdout.trim().split('\n');
  const ids = Object.values(messageTable).map(({ id }) => id);
  t.strictSame(listed.map((line) => line.split(' ')[0]).toSorted(), ids.toSorted());
  t.equal(new Set(ids).size, ids.length, 'no id is used twice');
  t.ok(
    listed.every((line) => / microshift-net: \w/.test(line)),
    'each entry has a subject and names its sender',
  );
  t.end();
});

t.test(
  'shellcheck reports no fault in a packaged script',
  { skip: !has('shellcheck') && 'shellcheck is not installed' },
  (t) => {
    const scripts = ['rpm/files', 'systemd'].flatMap((folder) =>
      readdirSync(folder).map((name) => `${folder}/${name}`),
    );
    for (const file of scripts.filter((name) => /\.(sh|bash)$/.test(name))) {
      const shell = file.endsWith('.bash') ? 'bash' : 'sh';
      t.equal(spawnSync('shellcheck', ['-s', shell, file], { encoding: 'utf8' }).stdout, '', file);
    }
    t.end();
  },
);

t.test('keep-bridges.sh keeps exactly the bridges of the agent', (t) => {
  const uuids = readFileSync('systemd/keep-bridges.sh', 'utf8').match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
  t.strictSame(uuids, bridges.flatMap(profileIds).map(profileUuid));
  t.end();
});
