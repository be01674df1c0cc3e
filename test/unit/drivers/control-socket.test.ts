import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { listenForCommands } from '../../../agent/drivers/host/process/control-socket.ts';

const call = promisify(execFile);

/** Returns the path of a socket in a folder with a short name; the path is limited to 107 characters (unix(7)). */
function socketFor(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'control-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  return join(folder, 'socket');
}

t.test('commands of ovs-appctl', { skip: !existsSync('/usr/bin/ovs-appctl') && 'ovs-appctl is missing' }, async (t) => {
  const path = socketFor(t);
  const asked: string[][] = [];
  const stop = await listenForCommands(path, async (command, words) => {
    asked.push([command, ...words]);
    if (command === 'fail') throw new Error('it failed');
    return `0${words.join('|')}\nsecond line`;
  });
  t.teardown(stop);
  t.equal(statSync(path).mode & 0o777, 0o600, 'only root can use the socket');
  const long = 'x'.repeat(100_000);
  const { stdout } = await call('ovs-appctl', ['-t', path, 'ADD', '', 'ä "b"\n', long]);
  t.equal(stdout, `0|ä "b"\n|${long}\nsecond line`);
  await t.rejects(call('ovs-appctl', ['-t', path, 'fail']), /it failed/);
  t.strictSame(
    asked.map(([command]) => command),
    ['ADD', 'fail'],
  );
});

t.test('invalid, overlong and double requests', async (t) => {
  const path = socketFor(t);
  let calls = 0;
  let gone = false;
  const stop = await listenForCommands(path, (_, __, signal) => {
    calls += 1;
    signal.addEventListener('abort', () => {
      gone = true;
    });
    return new Promise(() => undefined);
  });
  t.teardown(stop);
  const closed = async (text: string): Promise<void> => {
    const socket = connect(path);
    socket.on('error', () => undefined);
    socket.write(text);
    await new Promise((resolve) => socket.once('close', resolve));
  };
  await closed('x'.repeat(2 * 1024 * 1024));
  t.equal(calls, 0);
  const request = JSON.stringify({ id: 0, method: 'ADD', params: [] });
  const socket = connect(path);
  socket.on('error', () => undefined);
  socket.write(request);
  while (calls === 0) await new Promise(setImmediate);
  socket.write(request);
  await new Promise((resolve) => socket.once('close', resolve));
  t.equal(calls, 1, 'a connection has at most one call at a time');
  while (!gone) await new Promise(setImmediate);
  t.ok(gone, 'the end of the client is noticed');
});
