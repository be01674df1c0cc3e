// What the package ships beside the program: man pages, completion, shell.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { bridges, profileIds, profileUuid } from '../../agent/model/names.ts';
import { messageTable } from '../../agent/run/messages.ts';

const has = (command: string): boolean => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const dist = 'dist/microshift-net';
/** Commands of a `--help`, in the order it has them. */
const commandsOf = (...words: string[]): string[] => {
  const help = execFileSync(process.execPath, [dist, ...words, '--help'], { encoding: 'utf8' });
  const list = /^Commands:\n([\s\S]*)/m.exec(help)?.[1] ?? '';
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

t.test('what is large and seldom used lies in a file of its own', (t) => {
  const holders = (name: string): readonly string[] =>
    readdirSync('dist').filter(
      (file) => file.endsWith('.cjs') && readFileSync(`dist/${file}`, 'latin1').includes(`\n// node_modules/${name}/`),
    );
  t.strictSame(holders('@kubernetes/client-node'), ['kubernetes.cjs']);
  t.strictSame(holders('execa'), ['execa.cjs']);
  t.end();
});

t.test('microshift-net(8) has every command', (t) => {
  const page = readFileSync('docs/man/microshift-net.8', 'utf8');
  for (const name of commandsOf().filter((entry) => entry !== 'help')) {
    t.match(page.replaceAll('\\-', '-'), new RegExp(`^\\.(B|BR|I) "?${name}`, 'm'), name);
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

t.test('completion knows every command', { skip: !has('bash') && 'bash is not installed' }, (t) => {
  const complete = (...words: string[]): string[] => {
    const script = `. rpm/files/microshift-net.bash; COMP_WORDS=(microshift-net "$@"); COMP_CWORD=$#; _microshift_net; echo "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
  };
  t.strictSame(complete('').toSorted(), commandsOf().toSorted());
  for (const group of ['config', 'manifests', 'overlay', 'ovs', 'firewall']) {
    t.strictSame(
      complete(group, '').toSorted(),
      commandsOf(group)
        .filter((name) => name !== 'help')
        .toSorted(),
      group,
    );
  }
  t.strictSame(complete('overlay', 'pki', '').toSorted(), [
    'grant',
    'init',
    'issue',
    'renew',
    'request',
    'rotate',
    'show',
  ]);
  t.strictSame(complete('overlay', 'pki', 'renew', '--d'), ['--days']);
  t.strictSame(complete('--output', 'json', 'st'), ['status']);
  t.strictSame(complete('--output', 'j'), ['json']);
  t.end();
});

t.test(
  'completion runs nothing that is in the name of a file',
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
    // The folder is root's; here another one stands in.
    const script = `cd() { builtin cd "$FOLDER"; }; . rpm/files/microshift-net.bash; COMP_WORDS=(microshift-net undo ""); COMP_CWORD=2
    _microshift_net; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const shown = execFileSync('bash', ['-c', script], { encoding: 'utf8', env: { ...process.env, FOLDER: folder } });
    t.equal(shown, `${id}\n`);
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
  t.match(journalctl('--update-catalog'), { status: 0, stderr: '' }, 'systemd takes it');
  const listed = journalctl('--list-catalog').stdout.trim().split('\n');
  const ids = Object.values(messageTable).map(({ id }) => id);
  t.strictSame(listed.map((line) => line.split(' ')[0]).toSorted(), ids.toSorted());
  t.equal(new Set(ids).size, ids.length, 'no id is used twice');
  t.ok(
    listed.every((line) => / microshift-net: \w/.test(line)),
    'each has a subject and says who it is from',
  );
  t.end();
});

t.test('shell is clean', { skip: !has('shellcheck') && 'shellcheck is not installed' }, (t) => {
  const scripts = ['rpm/files', 'systemd'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  for (const file of scripts.filter((name) => /\.(sh|bash)$/.test(name))) {
    const shell = file.endsWith('.bash') ? 'bash' : 'sh';
    t.equal(spawnSync('shellcheck', ['-s', shell, file], { encoding: 'utf8' }).stdout, '', file);
  }
  t.end();
});

t.test('the bridges that stay are those of our profiles', (t) => {
  const uuids = readFileSync('systemd/keep-bridges.sh', 'utf8').match(/[0-9a-f]{8}-[0-9a-f-]{27}/g) ?? [];
  t.strictSame(uuids, bridges.flatMap(profileIds).map(profileUuid));
  t.end();
});
