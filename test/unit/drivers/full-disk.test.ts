// Writes of state on a disk that becomes full: the write fails and leaves no file that could be read as state.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import t from 'tap';

const program = path.join(import.meta.dirname, 'write-until-full.js');
const isRoot = process.getuid?.() === 0;

t.test('a write that does not fit fails and leaves nothing', { skip: !isRoot && 'needs root' }, async (t) => {
  const directory = t.testdir();
  const shell = `mount -t tmpfs -o size=32k,mode=0700 tmpfs "$1" && exec "$2" "$3" "$1"`;
  const words = ['-m', 'sh', '-c', shell, 'sh', directory, process.execPath, program];
  const outcomes = JSON.parse(execFileSync('unshare', words, { encoding: 'utf8' })) as readonly unknown[];
  t.strictSame(
    outcomes,
    ['writeFileAtomically', 'replaceFile', 'writeManifestFiles', 'openJournal'].map((way) => ({
      way,
      error: 'state-unwritable',
      left: [],
    })),
  );
});
