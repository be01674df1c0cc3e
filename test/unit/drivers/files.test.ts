import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  readSmallFile,
  removeFile,
  replaceFile,
  writeFileAtomically,
} from '../../../agent/drivers/host/files/files.ts';
import { failure } from '../failure.ts';

t.test('reading a small file', (t) => {
  const directory = t.testdir({ hint: 'eth0\n', empty: '', folder: {}, long: 'x'.repeat(10_000) });
  t.equal(readSmallFile(join(directory, 'hint')), 'eth0\n');
  t.equal(readSmallFile(join(directory, 'empty')), '');
  t.equal(readSmallFile(join(directory, 'absent')), null);
  t.equal(readSmallFile(join(directory, 'hint/below')), null);
  t.equal(readSmallFile(join(directory, 'long'))?.length, 10_000, 'a file is read as a whole');
  t.equal(readSmallFile(join(directory, 'long'), 10_000)?.length, 10_000, 'a file of exactly the limit is read');
  t.throws(
    () => readSmallFile(join(directory, 'long'), 9_999),
    failure('config-unreadable', { message: /more than 9999 bytes/ }),
    'a longer file is an error and is not cut',
  );
  t.equal(readSmallFile('/proc/self/status')?.endsWith('\n'), true, 'a file that reports no size is read as a whole');
  t.throws(
    () => readSmallFile('/proc/kallsyms', 4096),
    failure('config-unreadable', { message: /more than 4096 bytes/ }),
  );
  t.throws(
    () => readSmallFile(join(directory, 'folder')),
    failure('config-unreadable', { message: /not a regular file/ }),
  );
  t.throws(() => readSmallFile('/dev/zero'), failure('config-unreadable'));
  t.end();
});

t.test('a FIFO in place of a file is refused and does not hang', (t) => {
  const fifo = join(t.testdir({}), 'fifo');
  execFileSync('mkfifo', [fifo]);
  t.throws(() => readSmallFile(fifo), failure('config-unreadable', { message: /not a regular file/ }));
  t.throws(() => writeFileAtomically(fifo, 'x'), failure('state-unwritable'));
  t.end();
});

t.test('writing a file', (t) => {
  const directory = t.testdir({ old: 'old' });
  writeFileAtomically(join(directory, 'old'), 'new\n');
  t.equal(readFileSync(join(directory, 'old'), 'utf8'), 'new\n');
  writeFileAtomically(join(directory, 'made/on/the/way'), 'x', 0o600);
  t.equal(statSync(join(directory, 'made/on/the/way')).mode & 0o777, 0o600);
  t.strictSame(readdirSync(directory).toSorted(), ['made', 'old'], 'no temporary file is left');
  t.end();
});

t.test('replacing a file in memory', (t) => {
  const directory = t.testdir({ old: 'old' });
  replaceFile(join(directory, 'old'), 'new\n');
  t.equal(readFileSync(join(directory, 'old'), 'utf8'), 'new\n');
  replaceFile(join(directory, 'made/on/the/way'), 'x');
  t.equal(statSync(join(directory, 'made/on/the/way')).mode & 0o777, 0o644);
  t.strictSame(readdirSync(directory).toSorted(), ['made', 'old'], 'no temporary file is left');
  t.end();
});

t.test('writing in place of a link or a folder, or below a file, is refused and changes nothing', (t) => {
  const directory = t.testdir({ target: 'kept', folder: { inside: 'kept' }, file: '' });
  symlinkSync(join(directory, 'target'), join(directory, 'link'));
  symlinkSync(join(directory, 'nowhere'), join(directory, 'dangling'));
  for (const name of ['link', 'dangling', 'folder', 'file/below']) {
    t.throws(() => writeFileAtomically(join(directory, name), 'x'), failure('state-unwritable'), name);
    t.throws(() => replaceFile(join(directory, name), 'x'), failure('state-unwritable'), name);
  }
  t.equal(readFileSync(join(directory, 'target'), 'utf8'), 'kept');
  t.notOk(existsSync(join(directory, 'nowhere')));
  t.strictSame(readdirSync(directory).toSorted(), ['dangling', 'file', 'folder', 'link', 'target']);
  t.end();
});

t.test('a temporary file of a run that crashed does not stop later runs', (t) => {
  const directory = t.testdir({});
  const path = join(directory, 'hint');
  writeFileSync(`${path}.${process.pid}.tmp`, 'half');
  // The file has the temporary name of this process, so the first attempt may fail; a failed attempt removes the file.
  try {
    writeFileAtomically(path, 'eth0\n');
  } catch {
    writeFileAtomically(path, 'eth0\n');
  }
  t.equal(readFileSync(path, 'utf8'), 'eth0\n');
  t.strictSame(readdirSync(directory), ['hint']);
  t.end();
});

t.test('removing a file', (t) => {
  const directory = t.testdir({ file: '' });
  mkdirSync(join(directory, 'folder'));
  removeFile(join(directory, 'file'));
  removeFile(join(directory, 'file'));
  t.notOk(existsSync(join(directory, 'file')));
  t.throws(() => removeFile(join(directory, 'folder')), failure('state-unwritable'));
  t.end();
});
