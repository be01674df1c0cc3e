// The agent's packages and stand-ins for MicroShift's packages, installed by dnf, with MicroShift's real names,
// versions, requirements and paths. Scriptlets are off; rpm.test.ts and microshift.test.ts run them on a booted node.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { buildPackages, namesPackage, rpmSkip } from './build-package.ts';
import { buildStandIns, dnfSkip, microshiftFiles, microshiftPackages, rhelPackages } from './stand-ins.ts';

const skip = rpmSkip || dnfSkip;
const unitPath = 'usr/lib/systemd/system/microshift-ovs-init.service';

interface Root {
  readonly path: string;
  /** Runs dnf, which must exit with 0; fails the test with dnf's output otherwise. */
  readonly dnf: (t: Test, ...words: string[]) => void;
  readonly refused: (...words: string[]) => string;
  /** Runs dnf, and returns the signal that ended it; null if dnf exited by itself. */
  readonly signal: (...words: string[]) => string | null;
  /** Returns NAME-VERSION of the installed packages of the agent and of MicroShift. */
  readonly installed: () => readonly string[];
  /** Returns the files that rpm reports as changed or missing. */
  readonly broken: () => string;
}

t.test('packages', { skip }, async (t) => {
  const folders = t.testdir({ repository: {}, ours: {} });
  const repository = path.join(folders, 'repository');
  const ours = path.join(folders, 'ours');
  const microshift = (version: string): string[] => [`microshift-${version}`];
  buildStandIns(repository, [
    ...rhelPackages,
    { name: 'nodejs', version: '1:16.20.2' },
    { name: 'openvswitch3.3', version: '3.3.0' },
    // Package whose scriptlet kills dnf between the installation of an update and the removal of the old version.
    {
      name: 'killer',
      version: '1',
      tags: ['Requires: microshift-net >= 0.2.1'],
      scripts: { 'post -p <lua>': 'posix.kill(posix.getprocessid("pid"), 9)' },
    },
    ...microshiftPackages('5.0.0'),
    ...microshiftPackages('5.0.1'),
  ]);
  // Release 0.1.0 of the agent was a package with MicroShift's name microshift-networking.
  buildStandIns(ours, [
    { name: 'microshift-networking', version: '0.1.0', files: { '/usr/bin/microshift-net': '0.1.0\n' } },
  ]);
  const former = path.join(ours, 'microshift-networking-0.1.0-1.noarch.rpm');
  const [beside, replacing] = buildPackages('0.2.0', ours, '5.0.0');
  const [newer] = buildPackages('0.2.1', ours);
  if (beside === undefined || replacing === undefined || newer === undefined)
    throw new Error('a package was not built');
  spawnSync('createrepo_c', ['--quiet', repository]);

  t.test('no path is shared with MicroShift', (t) => {
    const owned = spawnSync('rpm', ['-qlp', beside], { encoding: 'utf8' }).stdout.trim().split('\n');
    const theirs = Object.values(microshiftFiles).flat();
    const isTheirs = (file: string): boolean =>
      theirs.some((entry) =>
        new RegExp(`^${entry.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(file),
      );
    t.ok(isTheirs('/usr/bin/configure-ovs.sh') && isTheirs('/usr/share/microshift/blueprint/blueprint-x86_64.toml'));
    t.strictSame(owned.filter(isTheirs), []);
    t.end();
  });

  t.test('beside MicroShift, the package is installed, upgraded, downgraded and removed', (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', ...microshift('5.0.0'));
    const unit = readFileSync(path.join(node.path, unitPath), 'utf8');
    node.dnf(t, 'install', beside);
    for (const [what, ...words] of [
      ['an update of MicroShift', 'upgrade', 'microshift-5.0.1'],
      ['an update of the agent', 'upgrade', newer],
      ['a downgrade of the agent', 'downgrade', beside],
      ['a downgrade of MicroShift', 'downgrade', ...microshiftPackages('5.0.0').map(({ name }) => `${name}-5.0.0`)],
    ] as const) {
      node.dnf(t, ...words);
      t.equal(node.broken(), '', `${what}: no packaged file is changed or missing`);
    }
    t.ok(node.installed().includes('microshift-net-0.2.0'), node.installed().join(' '));
    t.equal(readFileSync(path.join(node.path, unitPath), 'utf8'), unit, "MicroShift's unit file is unchanged");
    t.ok(existsSync(path.join(node.path, `${unitPath}.d/50-microshift-net.conf`)));
    node.dnf(t, 'remove', 'microshift-net');
    t.equal(node.broken(), '', "no file of MicroShift's packages is changed or missing");
    t.notOk(existsSync(path.join(node.path, `${unitPath}.d`)), 'no drop-in of the agent is left');
    t.end();
  });

  t.test('the package with the former names is installed and removed, and stays during an update', (t) => {
    const node = openRoot(t.testdir({}), repository);
    const links = (): string => spawnSync('ls', [path.join(node.path, 'usr/bin')], { encoding: 'utf8' }).stdout;
    node.dnf(t, 'install', beside);
    t.notMatch(links(), 'ovn-k8s', 'the package microshift-net does not have the former names');
    node.dnf(t, 'install', namesPackage('0.2.0', ours));
    t.equal(readlinkSync(path.join(node.path, 'usr/bin/ovn-k8s-overlay')), '../share/microshift-net/microshift-net');
    node.dnf(t, 'upgrade', newer);
    t.match(links(), 'ovn-k8s-overlay');
    t.equal(node.broken(), '');
    node.dnf(t, 'remove', 'microshift-net-ovn-k8s');
    t.notMatch(links(), 'ovn-k8s');
    t.end();
  });

  t.test('dnf is killed in the middle of an update', (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', ...microshift('5.0.0'), beside);
    t.equal(node.signal('--setopt=tsflags=', 'install', newer, 'killer'), 'SIGKILL');
    const both = ['microshift-net-0.2.0', 'microshift-net-0.2.1'];
    t.strictSame(
      node.installed().filter((name) => both.includes(name)),
      both,
    );
    node.dnf(t, 'reinstall', newer);
    t.strictSame(
      node.installed().filter((name) => both.includes(name)),
      ['microshift-net-0.2.1'],
    );
    t.equal(node.broken(), '', 'no packaged file is changed or missing');
    t.end();
  });

  t.test("the package in the place of MicroShift's own package", (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', ...microshift('5.0.0'), beside, replacing);
    t.strictSame(node.installed(), [
      'microshift-5.0.0',
      'microshift-greenboot-5.0.0',
      'microshift-net-0.2.0',
      'microshift-networking-5.0.0',
      'microshift-selinux-5.0.0',
    ]);
    const missing = (microshiftFiles['microshift-networking'] ?? []).filter(
      (file) => !existsSync(path.join(node.path, file)),
    );
    t.strictSame(missing, [], "every file of Red Hat's package exists");
    t.match(readFileSync(path.join(node.path, unitPath), 'utf8'), 'ExecStart=/usr/bin/microshift-net apply --boot');
    node.dnf(t, 'upgrade', 'microshift-5.0.1');
    t.match(
      readFileSync(path.join(node.path, unitPath), 'utf8'),
      'configure-ovs.sh',
      "MicroShift's next version installs its own unit",
    );
    t.equal(node.broken(), '');
    t.end();
  });

  t.test('an update of a node with version 0.1.0', (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', former);
    const alone = node.refused('--exclude', 'microshift-networking-5*', 'install', beside);
    t.match(alone, /conflicts? with microshift-networking < 0\.2\.0/);
    t.equal(
      readFileSync(path.join(node.path, 'usr/bin/microshift-net'), 'utf8'),
      '0.1.0\n',
      'the installed file is unchanged',
    );
    node.dnf(t, 'install', beside, replacing);
    t.strictSame(node.installed(), ['microshift-net-0.2.0', 'microshift-networking-5.0.0']);
    t.equal(node.broken(), '');
    t.end();
  });

  t.test('the package is installed with the Open vSwitch of MicroShift 4.14 to 4.16', (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', 'openvswitch3.3');
    node.dnf(t, '--exclude', 'openvswitch3.5', 'install', beside);
    t.end();
  });

  t.test('a Node.js that is too old is refused', (t) => {
    const node = openRoot(t.testdir({}), repository);
    node.dnf(t, 'install', 'nodejs-1:16.20.2');
    t.match(node.refused('--exclude', 'nodejs-1:22*', 'install', beside), /requires nodejs >= 1:20\.19/);
    t.end();
  });
});

function openRoot(directory: string, repository: string): Root {
  const base = [
    ...['--installroot', directory, '--repofrompath', `all,${repository}`, '--repoid', 'all', '--releasever', '9'],
    ...['--nogpgcheck', '--noplugins', '--assumeyes', '--setopt=tsflags=noscripts', '--setopt=reposdir=/nonexistent'],
    ...['--setopt=install_weak_deps=False', `--setopt=cachedir=${directory}/cache`, '--setopt=keepcache=False'],
  ];
  const run = (words: readonly string[]) => spawnSync('dnf', [...base, ...words], { encoding: 'utf8' });
  const rpm = (...words: string[]): string =>
    spawnSync('rpm', ['--root', directory, ...words], { encoding: 'utf8' }).stdout.trim();
  return {
    path: directory,
    dnf: (t, ...words) => {
      const { status, stdout, stderr } = run(words);
      t.equal(
        status,
        0,
        `${words.map((word) => path.basename(word)).join(' ')}: ${status === 0 ? '' : stdout + stderr}`,
      );
    },
    refused: (...words) => {
      const { status, stdout, stderr } = run(words);
      return status === 0 ? '' : stdout + stderr;
    },
    signal: (...words) => run(words).signal,
    installed: () => rpm('-qa', '--qf', '%{NAME}-%{VERSION}\n', 'microshift*').split('\n').toSorted(),
    broken: () => rpm('-Va', '--nodeps', '--noscripts', '--nouser', '--nogroup'),
  };
}
