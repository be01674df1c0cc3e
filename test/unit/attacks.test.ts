// Files and folders that another user prepared: the agent does not read, write, remove or wait through them.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readConfigFiles } from '../../agent/config/read-files.ts';
import { readSmallFile, writeFileAtomically } from '../../agent/drivers/host/files/files.ts';
import { readTuning } from '../../agent/drivers/host/process/daemons.ts';
import { readAccess } from '../../agent/drivers/kubernetes/kubeconfig.ts';
import { readReleaseFile } from '../../agent/drivers/kubernetes/release-file.ts';
import { openOpenVSwitch } from '../../agent/drivers/openvswitch/ovs-client.ts';
import { readHints } from '../../agent/facts/hints.ts';
import {
  hasOpenJournals,
  openJournal,
  pruneJournals,
  readJournals,
  readOpenJournals,
} from '../../agent/run/journal/journal-files.ts';
import { takeLock } from '../../agent/run/lock.ts';
import { failure } from './failure.ts';
import { startFakeServer } from './ovsdb/fake-server.ts';
import { headerOf } from './run/played-transaction.ts';

const notRoot = process.getuid?.() !== 0 && 'only root can give files away';
const nobody = 65_534;
const secret = 'root:$6$salt$hash:19000:0:99999:7:::';

const header = headerOf({ names: [] });

function fifo(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** Creates a folder with more journals than the agent keeps, one of which is of an open transaction. */
function filledFolder(t: Test): string {
  const folder = t.testdir({});
  for (let index = 10; index < 40; index++) writeFileSync(join(folder, `20260101T0000${index}Z-1.json`), 'kept\n');
  writeFileSync(join(folder, '20260101T000050Z-1.open'), `${JSON.stringify(header)}\n`, { mode: 0o600 });
  return folder;
}

function isLeftAlone(t: Test, folder: string, directory: string, why: RegExp): void {
  const before = readdirSync(folder);
  t.throws(() => openJournal(directory, header), failure('state-unwritable', { message: why }));
  t.match(readJournals(directory), { records: [], unusable: [{ why }] });
  t.match(readOpenJournals(directory), { records: [], unusable: [{ why }] });
  t.notOk(hasOpenJournals(directory), 'no open journal is found');
  pruneJournals(directory);
  t.strictSame(readdirSync(folder), before, 'the folder has the same files as before');
}

t.test('a link in place of the journals', (t) => {
  const folder = filledFolder(t);
  mkdirSync(join(folder, 'lib'));
  symlinkSync(folder, join(folder, 'lib/tx'));
  isLeftAlone(t, folder, join(folder, 'lib/tx'), /is a symbolic link/);
  symlinkSync(join(folder, 'lib'), join(folder, 'var'));
  mkdirSync(join(folder, 'lib/real'));
  t.throws(
    () => openJournal(join(folder, 'var/real'), header),
    failure('state-unwritable'),
    'a link in a parent folder is refused as well',
  );
  t.end();
});

t.test('journals in a folder that every user may write', (t) => {
  const folder = filledFolder(t);
  chmodSync(folder, 0o777);
  isLeftAlone(t, folder, folder, /can be written by everybody/);
  t.end();
});

t.test('journals in a folder of another user', { skip: notRoot }, (t) => {
  const folder = filledFolder(t);
  chownSync(folder, nobody, nobody);
  isLeftAlone(t, folder, folder, /belongs to another user/);
  t.end();
});

t.test('a link with the name of the next journal', (t) => {
  const folder = t.testdir({ target: 'kept' });
  symlinkSync(join(folder, 'target'), join(folder, `${header.id}.open`));
  t.throws(() => openJournal(folder, header), failure('state-unwritable'));
  t.equal(readFileSync(join(folder, 'target'), 'utf8'), 'kept');
  t.end();
});

t.test('the lock', async (t) => {
  const folder = t.testdir({ lock: {}, target: 'kept' });
  const lock = join(folder, 'lock');
  const startTime = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')[19];
  const parentStart = readFileSync('/proc/1/stat', 'latin1').split(') ').at(-1)?.split(' ')[19];

  await t.test('the lock is not written through a link', async () => {
    symlinkSync(join(folder, 'target'), join(lock, `${process.pid}.${startTime}`));
    (await takeLock(lock, 'apply', 'long')).release();
    t.equal(readFileSync(join(folder, 'target'), 'utf8'), 'kept');
  });
  await t.test('a FIFO, a directory or an empty file does not hold the lock', async () => {
    fifo(join(lock, `1.${parentStart}`));
    mkdirSync(join(lock, '7.7'));
    writeFileSync(join(lock, 'words'), '');
    (await takeLock(lock, 'apply', 'long')).release();
    t.notOk(existsSync(join(lock, `1.${parentStart}`)));
  });
  await t.test('a file of another user does not hold the lock', { skip: notRoot }, async () => {
    writeFileSync(join(lock, `1.${parentStart}`), 'apply');
    chownSync(join(lock, `1.${parentStart}`), nobody, nobody);
    (await takeLock(lock, 'apply', 'long')).release();
  });
  await t.test('the lock is not taken in a folder that every user may write, nor through a link', async (t) => {
    symlinkSync(lock, join(folder, 'link'));
    await t.rejects(takeLock(join(folder, 'link'), 'apply', 'long'), failure('state-unwritable'));
    chmodSync(lock, 0o777);
    await t.rejects(takeLock(lock, 'apply', 'long'), failure('state-unwritable', { message: /written by everybody/ }));
  });
});

t.test('a hint that is a link to a file with secrets', (t) => {
  const folder = t.testdir({ shadow: `${secret}\n`, open: 'eth0\n' });
  chmodSync(join(folder, 'shadow'), 0o640);
  symlinkSync(join(folder, 'shadow'), join(folder, 'hint'));
  symlinkSync(join(folder, 'open'), join(folder, 'managed'));
  try {
    readHints(() => readSmallFile(join(folder, 'hint')));
    t.fail('the secrets were read through the link');
  } catch (error) {
    t.match(error, failure('config-unreadable', { message: /not everybody may read/ }));
    t.notMatch(JSON.stringify([error, String(error)]), /salt/);
  }
  t.equal(readSmallFile(join(folder, 'managed')), 'eth0\n', 'a link to a file that every user may read is followed');
  t.equal(readSmallFile(join(folder, 'shadow'))?.trim(), secret, 'a private file that is not a link is read');
  t.end();
});

t.test('a hint file is not written in a folder in which every user can replace it', (t) => {
  const folder = t.testdir({ ovnk: {} });
  chmodSync(join(folder, 'ovnk'), 0o777);
  t.throws(() => writeFileAtomically(join(folder, 'ovnk/iface_default_hint'), 'eth0\n'), failure('state-unwritable'));
  t.strictSame(readdirSync(join(folder, 'ovnk')), []);
  chmodSync(join(folder, 'ovnk'), 0o1777);
  writeFileAtomically(join(folder, 'ovnk/iface_default_hint'), 'eth0\n');
  t.end();
});

t.test('a FIFO or a device in place of a file that is read', async (t) => {
  const folder = t.testdir({
    etc: { microshift: {} },
    usr: { share: { microshift: { release: {} } } },
    run: { openvswitch: {} },
  });
  const arch = process.arch === 'x64' ? 'x86_64' : 'aarch64';
  fifo(join(folder, 'etc/microshift/ovn.yaml'));
  t.throws(() => readConfigFiles(folder), failure('config-unreadable'));
  fifo(join(folder, `usr/share/microshift/release/release-${arch}.json`));
  t.throws(() => readReleaseFile(folder), failure('image-unknown', { message: /not a regular file/ }));
  fifo(join(folder, 'kubeconfig'));
  await t.rejects(readAccess(join(folder, 'kubeconfig')), failure('kubeconfig-unusable', { message: /not a regular/ }));
  await t.rejects(readAccess('/dev/zero'), failure('kubeconfig-unusable', { message: /not a regular/ }));
  fifo(join(folder, 'run/openvswitch/ovs-vswitchd.pid'));
  symlinkSync('/dev/zero', join(folder, 'run/openvswitch/ovsdb-server.pid'));
  t.strictSame(
    readTuning(folder).daemons.map((daemon) => daemon.pid),
    [null, null],
  );
});

t.test("a FIFO in place of vswitchd's pid file", async (t) => {
  const server = await startFakeServer();
  t.teardown(() => server.stop());
  const folder = join(server.path, '..');
  fifo(join(folder, 'ovs-vswitchd.pid'));
  const ovs = await openOpenVSwitch(folder);
  await t.rejects(ovs.probeVswitchd(), failure('vswitchd-not-responding'));
  ovs.close();
});
