// MicroShift's script in its real size: 6,511 bytes with the MAC at byte 6,288 (openshift/microshift, packaging/systemd/configure-ovs.sh, 4.14 to 5.1).
import { join } from 'node:path';
import t from 'tap';
import { readSmallFile } from '../../../agent/drivers/host/files.ts';
import { microshiftScriptFact } from '../../../agent/facts/observation.ts';

const sizeBytes = 6511;
const mac = '0a:59:00:00:00:01';
const macAtByte = 6288;

/** A script of comment lines with a text at a byte. */
function script(text: string): string {
  const before = `#!/bin/bash\n${'# a line of the script\n'.repeat(400)}`.slice(0, macAtByte);
  return `${before}${text}\n`.padEnd(sizeBytes, '#\n');
}

t.test('the script is recognized by a MAC near its end', (t) => {
  const folder = t.testdir({ own: script(mac), other: script('02:00:00:00:00:01') });
  const factOf = (name: string) => microshiftScriptFact(() => readSmallFile(join(folder, name)));
  t.strictSame(factOf('own'), { hasMicroShiftScript: true });
  t.strictSame(factOf('other'), {}, 'a script without the MAC is another one');
  t.strictSame(factOf('absent'), {});
  t.end();
});
