import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { capture, runInto } from '../../../agent/drivers/host/exec.ts';
import { failure } from '../failure.ts';

t.test('whatever becomes of a program, what it printed is kept, with a note', async (t) => {
  t.strictSame(await capture('sh', ['-c', 'echo out; echo err >&2'], 5_000, 1_000), { text: 'out\nerr\n', note: null });
  t.strictSame(await capture('sh', ['-c', 'echo half; exit 3'], 5_000, 1_000), {
    text: 'half\n',
    note: 'ended with 3',
  });
  t.match(await capture('/no/such/program', [], 5_000, 1_000), { text: '', note: /ENOENT/ });
  t.strictSame(await capture('sh', ['-c', 'echo half; kill $$'], 5_000, 1_000), {
    text: 'half\n',
    note: 'ended by SIGTERM',
  });
  const endless = await capture('yes', [], 20_000, 1_000);
  t.match(endless, { note: 'cut after 1000 bytes' });
  t.ok(endless.text.length <= 1_000, String(endless.text.length));
  const slow = await capture('sh', ['-c', 'echo begun; exec sleep 60'], 200, 1_000);
  t.strictSame(slow, { text: 'begun\n', note: 'ended after 0.2 s' });
});

t.test('output goes into a file that is open already', async (t) => {
  const file = join(t.testdir({}), 'out');
  const descriptor = openSync(file, 'wx', 0o600);
  await runInto(descriptor, 'echo', ['hello'], 5_000);
  t.equal(readFileSync(file, 'utf8'), 'hello\n');
  await t.rejects(runInto(descriptor, 'sh', ['-c', 'exit 1'], 5_000), failure('step-failed'));
  await t.rejects(runInto(descriptor, '/no/such/program', [], 5_000), failure('command-missing'));
  closeSync(descriptor);
});
