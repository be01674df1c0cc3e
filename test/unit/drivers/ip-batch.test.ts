// Lines that the agent passes to ip(8); a replacement of ip records them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ipBatch, ipBatchOrRefusal } from '../../../agent/drivers/host/kernel/ip-batch.ts';
import { replacePrograms } from '../replaced-programs.ts';

t.test('a line that ip would misread is not passed to ip', async (t) => {
  const read = join(replacePrograms(t, { ip: 'cat > "$0.input"' }), 'ip.input');
  const good = 'address add 192.0.2.1/24 dev eth0 metric 1';
  const bad = ['eth#0', '"eth0', "eth'0", 'eth\\', 'eth0\naddress flush dev eth1'].map(
    (name) => `route delete default dev ${name} metric 1`,
  );
  await ipBatch([...bad, good]);
  t.equal(readFileSync(read, 'utf8'), `${good}\n`);
  writeFileSync(read, '');
  for (const line of bad) t.match(await ipBatchOrRefusal([good, line]), /would be misread/, JSON.stringify(line));
  await ipBatch(bad);
  t.equal(readFileSync(read, 'utf8'), '', 'no line of the batch is run');
  t.equal(await ipBatchOrRefusal([good]), null);
});

t.test('the lines after a line that ip refuses are still run', async (t) => {
  // The replacement of ip(8) ends at an error as ip does, and ignores the rest of the batch.
  const ip = 'while read -r line; do case $line in *newer*) exit 255;; esac; echo "$line" >> "$0.done"; done';
  const done = join(replacePrograms(t, { ip }), 'ip.done');
  await ipBatch(['route append 10.1.0.0/16 newer 1', 'route append 10.2.0.0/16']);
  t.equal(readFileSync(done, 'utf8'), 'route append 10.2.0.0/16\n');
});
