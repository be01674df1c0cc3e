// The built package: rpmlint finds no fault in it, and two builds of the same commit have the same bytes.
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { buildFresh, buildPackages, namesPackage, rpmSkip } from './build-package.ts';

const rpmlint = '/usr/bin/rpmlint';

t.test(
  'rpmlint reports no error and no warning',
  { skip: rpmSkip || (!existsSync(rpmlint) && 'rpmlint is not installed') },
  (t) => {
    const folder = t.testdir();
    const built = buildPackages('0.2.0', folder, '5.0.0');
    const packages = [...built, namesPackage('0.2.0', folder), 'rpm/microshift-net.spec'];
    const { status, stdout } = spawnSync(rpmlint, ['-c', 'rpm/rpmlint.toml', ...packages], { encoding: 'utf8' });
    t.equal(status, 0, stdout);
    t.match(stdout, /0 errors, 0 warnings/);
    t.end();
  },
);

t.test('every file is below /usr or /etc, as systems with ostree require', { skip: rpmSkip }, (t) => {
  const folder = t.testdir();
  const built = [...buildPackages('0.2.0', folder, '5.0.0'), namesPackage('0.2.0', folder)];
  const files = execFileSync('rpm', ['-qlp', ...built], { encoding: 'utf8' })
    .trim()
    .split('\n');
  t.strictSame(
    files.filter((file) => !/^\/(usr|etc)\//.test(file)),
    [],
  );
  t.ok(files.includes('/usr/libexec/cni/microshift-net-cni'));
  t.end();
});

t.test('the build stops if its folder belongs to another user', { skip: rpmSkip || process.getuid?.() !== 0 }, (t) => {
  // Copy of rpm/build.sh that differs only in the folder in which it builds.
  const folder = t.testdir({ theirs: { keep: '' } });
  const place = path.join(folder, 'place');
  const script = readFileSync('rpm/build.sh', 'utf8').replace(/^place=.*$/m, `place=${place}`);
  t.match(script, place);
  const build = () =>
    spawnSync('bash', ['-c', script, path.resolve('rpm/build.sh'), path.join(folder, 'out')], { encoding: 'utf8' });
  symlinkSync(path.join(folder, 'theirs'), place);
  t.match(build(), { status: 1, stderr: /is not a folder of/ }, 'a link');
  t.strictSame(readdirSync(path.join(folder, 'theirs')), ['keep']);
  rmSync(place);
  mkdirSync(place);
  chownSync(place, 65534, 65534);
  t.match(build(), { status: 1, stderr: /is not a folder of/ }, "another user's folder");
  t.strictSame(readdirSync(place), []);
  t.end();
});

t.test('the same sources give the same bytes', { skip: rpmSkip }, (t) => {
  const build = (folder: string): Buffer => readFileSync(buildFresh('0.2.0', folder)[0] ?? '');
  const folders = t.testdir({ first: {}, second: {} });
  t.ok(build(path.join(folders, 'first')).equals(build(path.join(folders, 'second'))));
  t.end();
});
