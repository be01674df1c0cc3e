// The wait for an interface that Open vSwitch creates ends when the interface has its MAC, not when it exists.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import t from 'tap';

const program = path.join(import.meta.dirname, 'print-waits.js');
const isRoot = process.getuid?.() === 0;

t.test('an interface without its MAC is awaited further', { skip: !isRoot && 'needs root' }, async (t) => {
  const shell = 'mount -t sysfs sysfs /sys && exec "$0" "$1"';
  const printed = execFileSync('unshare', ['-m', '-n', 'sh', '-c', shell, process.execPath, program], {
    encoding: 'utf8',
  });
  t.strictSame(printed.trim().split('\n'), ['other is awaited', 'mp0 has its MAC', 'mp0 is awaited']);
});
