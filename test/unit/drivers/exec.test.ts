import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { capture, run, runInto } from '../../../agent/drivers/host/process/exec.ts';
import { programPath } from '../../../agent/drivers/host/process/programs.ts';
import { failure } from '../failure.ts';

t.test('the output of a program is kept even if it fails, hangs or prints too much, with a note', async (t) => {
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

t.test('a program is found in the folders of PATH, and is started with its name as argv[0]', async (t) => {
  const first = t.testdir({ named: { name: t.fixture('file', '') } });
  const second = t.testdir({ name: t.fixture('file', '#!/bin/sh\n'), dir: {} });
  chmodSync(join(second, 'name'), 0o755);
  const path = process.env.PATH;
  t.teardown(() => {
    process.env.PATH = path;
  });
  process.env.PATH = `${first}:relative:${second}:${path}`;
  t.equal(
    programPath('name'),
    join(second, 'name'),
    'a file that cannot be executed, or a directory, is not a program',
  );
  t.equal(programPath('/no/such/program'), '/no/such/program');
  t.equal(programPath('no-such-program'), 'no-such-program');
  const { stdout } = await run('sh', ['-c', 'tr "\\0" " " < /proc/$$/cmdline'], 5_000);
  t.match(stdout, /^sh -c /);
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

const driver = JSON.stringify(pathToFileURL(join(process.cwd(), 'build/agent/drivers/host/process/exec.js')));

t.test('input of the terminal does not reach the started programs', async (t) => {
  // Session id: field 6 of proc_pid_stat(5).
  const session = async (...options: Parameters<typeof run>[3][]): Promise<string[]> => {
    const file = join(t.testdir({}), 'session');
    await run('sh', ['-c', `echo $$ $(cut -d ' ' -f 6 /proc/$$/stat) > ${file}`], 5_000, ...options);
    return readFileSync(file, 'utf8').trim().split(' ');
  };
  const [own, ofOwn] = await session();
  t.equal(ofOwn, own, 'the process leads a separate session');
  const [shared, ofShared] = await session({ stdio: 'inherit' });
  t.not(ofShared, shared, 'a program that shares the terminal stays in its session');
});

t.test('a followed program ends with its parent, even if the parent is killed', async (t) => {
  const file = join(t.testdir({}), 'pid');
  const words = JSON.stringify(['-c', `echo $$ > ${file}; exec sleep 1000`]);
  const script = `import(${driver}).then(({ follow }) => follow('sh', ${words}, () => undefined, () => undefined))`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
  const pid = (): string => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '');
  const runs = (): boolean => existsSync(`/proc/${pid()}/exe`);
  t.ok(await becomes(() => pid() !== '' && runs()), 'the followed program is running');
  parent.kill('SIGKILL');
  t.ok(await becomes(() => !runs()), 'the followed program has ended');
});

t.test('to end a program that could not be started sends no signal', async (t) => {
  // The child leads a process group, and a signal to pid 0 would end the child.
  const script = `process.env.PATH = '/nonexistent';
    const { follow } = await import(${driver});
    for (let i = 0; i < 20; i++) (await follow('ip', [], () => undefined, () => undefined))();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore', detached: true });
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  t.equal(exitCode, 0);
});

/** Returns true as soon as a condition holds; false if it does not hold within 20 s. */
async function becomes(condition: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 400; tries++) {
    if (condition()) return true;
    await setTimeout(50);
  }
  return false;
}
