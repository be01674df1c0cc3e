import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import readline from 'node:readline';
import t, { type Test } from 'tap';
import { processStart } from '../../../agent/drivers/host/process/process-start.ts';
import { takeLock } from '../../../agent/run/lock.ts';
import { failure } from '../failure.ts';

const module = new URL('../../../agent/run/lock.js', import.meta.url).href;

interface Contender {
  readonly process: ChildProcess;
  /** Result of the attempt to take the lock: `held`, or the kind of the error. */
  readonly result: Promise<string>;
}

/** Starts a program in another process, which is killed at the end of the test. */
function startScript(t: Test, script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

/** Starts another process that takes the lock, and keeps it until it is killed or this process ends. */
function contend(t: Test, directory: string): Contender {
  const script = `
    import { takeLock } from ${JSON.stringify(module)};
    const answer = await takeLock(${JSON.stringify(directory)}, 'apply', 'long').then(() => 'held', (error) => error.kind);
    console.log(answer);
    if (answer === 'held') process.stdin.resume();`;
  const child = startScript(t, script);
  return { process: child, result: firstLine(child) };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new TypeError('no standard output');
  for await (const line of readline.createInterface({ input: child.stdout })) return line;
  return 'ended without a word';
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGKILL');
  await ended;
}

t.test('one process holds the lock, and the error of a second process names the holder', async (t) => {
  const directory = join(t.testdir({}), 'run/lock');
  const holder = contend(t, directory);
  t.equal(await holder.result, 'held');
  const message = new RegExp(`\`microshift-net apply\`, process ${holder.process.pid}$`);
  await t.rejects(
    takeLock(directory, 'confirm', 'long'),
    failure('busy', { message, facts: { pid: holder.process.pid } }),
  );
  t.equal(readdirSync(directory).length, 1, 'a refused run leaves no file');
});

t.test('a holder that was killed no longer holds the lock', async (t) => {
  const directory = t.testdir({});
  const holder = contend(t, directory);
  t.equal(await holder.result, 'held');
  await killed(holder.process);
  t.equal(readdirSync(directory).length, 1, 'the file of the killed holder still exists');
  const lock = await takeLock(directory, 'apply', 'long');
  t.strictSame(readdirSync(directory).length, 1, 'the file of the killed holder is removed');
  lock.release();
  t.strictSame(readdirSync(directory), []);
  lock.release();
});

t.test('exactly one of several simultaneous processes gets the lock', async (t) => {
  const directory = t.testdir({});
  const results = await Promise.all(Array.from({ length: 4 }, () => contend(t, directory).result));
  t.strictSame(results.toSorted(), ['busy', 'busy', 'busy', 'held']);
});

t.test('a contender that arrives later is not waited for, even if its process is older', async (t) => {
  const directory = t.testdir({});
  const child = spawn('sleep', ['60']);
  t.teardown(() => child.kill('SIGKILL'));
  const fileOf = (pid = 0): string => join(directory, `${pid}.${processStart(pid)}.brief.apply`);
  const younger = fileOf(child.pid);
  writeFileSync(younger, '');
  const taken = takeLock(directory, 'apply', 'long');
  writeFileSync(fileOf(process.ppid), '');
  rmSync(younger);
  (await taken).release();
  t.strictSame(readdirSync(directory), [basename(fileOf(process.ppid))]);
});

t.test('a command waits for a brief run, also if it ends while the command reads the holder', async (t) => {
  const directory = t.testdir({});
  const script = `
    import { takeLock } from ${JSON.stringify(module)};
    console.log('begun');
    for (;;) {
      const lock = await takeLock(${JSON.stringify(directory)}, 'apply --repair', 'brief');
      await new Promise((resolve) => setImmediate(resolve));
      lock.release();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }`;
  const child = startScript(t, script);
  await firstLine(child);
  for (let taken = 0; taken < 500; taken++) (await takeLock(directory, 'recover', 'brief')).release();
  t.equal(child.exitCode, null, 'the other process is not refused');
});

t.test('a longer wait for a brief run is reported', async (t) => {
  const directory = t.testdir({});
  const script = `
    import { takeLock } from ${JSON.stringify(module)};
    const lock = await takeLock(${JSON.stringify(directory)}, 'apply --repair', 'brief');
    console.log('held');
    process.stdin.on('end', () => lock.release()).resume();`;
  const child = startScript(t, script);
  await firstLine(child);
  const said: string[] = [];
  // The holder ends when the wait is reported, so the test would not end without the report.
  const lock = await takeLock(directory, 'apply', 'long', (text) => {
    said.push(text);
    child.stdin.end();
  });
  lock.release();
  t.equal(said.length, 1);
  t.match(said[0], /^waiting up to \d+ s for the end of another run: .*apply --repair/);
});

t.test('a signal ends the wait for a brief run, and the error names the state of the node', async (t) => {
  const directory = t.testdir({});
  const script = `
    import { takeLock } from ${JSON.stringify(module)};
    await takeLock(${JSON.stringify(directory)}, 'apply --repair', 'brief');
    console.log('held');
    process.stdin.resume();`;
  const child = startScript(t, script);
  await firstLine(child);
  const listeners = process.listenerCount('SIGINT');
  const message = /^stopped by SIGINT; this run has not changed the node$/;
  // The report of the wait sends the signal, so that the signal arrives during the wait.
  await t.rejects(
    takeLock(directory, 'apply', 'long', () => process.emit('SIGINT')),
    failure('interrupted', { message, hint: /^run it again/ }),
  );
  t.equal(process.listenerCount('SIGINT'), listeners);
  t.equal(readdirSync(directory).length, 1, 'only the file of the holder is left');
});

t.test('a file of an earlier process with the pid of a running process does not hold the lock', async (t) => {
  const directory = t.testdir({});
  const reused = join(directory, `${process.ppid}.1`);
  writeFileSync(reused, 'apply');
  (await takeLock(directory, 'apply', 'long')).release();
  t.notOk(existsSync(reused));
});

t.test('foreign files in the directory do not affect the lock', async (t) => {
  const directory = t.testdir({ 'README.txt': 'not a lock', '.hidden': '', '12.34.56': '' });
  (await takeLock(directory, 'apply', 'long')).release();
});

t.test('a directory that cannot be made', async (t) => {
  const directory = t.testdir({ file: '' });
  await t.rejects(takeLock(join(directory, 'file/lock'), 'apply', 'long'), failure('state-unwritable'));
});
