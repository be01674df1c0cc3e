// More objects than the memory of the daemon can hold: the daemon does not exit, reports a remedy, and leaves the rows
// unchanged.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openMirror, openSession } from '../../agent/drivers/ovsdb/index.ts';
import type { WatcherState } from '../../agent/model/overlay-daemon.ts';
import { exposure, modern, nodeOf } from '../unit/overlay/cluster.ts';
import { startCentral } from './central.ts';
import { ownRelease } from './releases.ts';
import { serveApi } from './served-api.ts';
import { podOn } from './stored-api.ts';

/** Time limit of each connection and wait, far beyond the need of a busy machine. */
const limitMs = 120_000;
const program = fileURLToPath(new URL('bounded-process.js', import.meta.url));
const nodes = [nodeOf(1, { subnets: ['10.42.16.0/20'] })];
/** Limit of the heap in MB. */
const limitMb = 64;
/** Names of pods whose labels alone are larger than the limit of the heap. */
const hostile = Array.from({ length: 1_800 }, (_, index) => `m${index}`);
const labels = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`label-${index}`, 'x'.repeat(90)]));

t.test('too many objects of one namespace', async (t) => {
  const central = await startCentral(t, false, ownRelease());
  await central.apply({ nodes });
  const api = await serveApi(t);
  const session = openSession({ remotes: `unix:${central.folder}/nb.sock`, database: 'OVN_Northbound', limitMs });
  t.teardown(() => session.close());
  const ports = await openMirror(session, { Logical_Switch_Port: { indexes: ['name'] } }, limitMs);
  const untilPort = (name: string): Promise<unknown> =>
    ports.until(() => ports.table('Logical_Switch_Port').find('name', name)[0], limitMs);
  const portsNow = (): readonly unknown[] => [...ports.table('Logical_Switch_Port').rows()];

  const start = (): ChildProcess => {
    const words = [
      api.kubeconfig,
      `unix:${central.folder}/nb.sock`,
      JSON.stringify({ layout: modern, nodes, exposure }),
    ];
    const execArgv = ['--jitless', '--optimize-for-size', `--max-old-space-size=${limitMb}`];
    const child = fork(program, words, { execArgv });
    t.teardown(() => child.kill('SIGKILL'));
    return child;
  };
  /** Resolves with the first state of the watcher that fits; fails if the process ends. */
  const untilState = (child: ChildProcess, fits: (state: WatcherState) => boolean): Promise<WatcherState> =>
    new Promise((resolve, reject) => {
      child.on('exit', (code, signal) => reject(new Error(`the daemon has ended: ${code ?? signal}`)));
      child.on('message', (state) => fits(state as WatcherState) && resolve(state as WatcherState));
    });
  const end = async (child: ChildProcess): Promise<void> => {
    child.removeAllListeners('exit');
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const isFull = ({ failure }: WatcherState): boolean => /need more memory/.test(failure?.message ?? '');

  for (const name of ['w1', 'w2']) api.put('pods', podOn('n1', name, { namespace: 'web' }));
  const first = start();
  const full = untilState(first, isFull);
  await Promise.all(['web_w1', 'web_w2'].map(untilPort));
  for (const name of hostile) api.put('pods', podOn('n1', name, { namespace: 'mallory', labels }));
  const { role, failure } = await full;
  t.equal(role, 'waiting', 'the watcher waits and follows no changes');
  t.match(failure?.message, /most of them, \d+, are in namespace mallory/);
  t.match(failure?.hint, /ResourceQuota/);
  t.match(await api.event('TooManyObjects'), /this namespace has most of them/);
  const rows = portsNow();
  await end(first);

  const second = start();
  const again = await untilState(second, isFull);
  t.match(
    again.failure?.message,
    /in namespace mallory/,
    'the next watcher reports the failure while it still reads the objects',
  );
  // The last transaction of the first watcher may have arrived after that watcher's end.
  const now = new Set(portsNow());
  t.ok(rows.length > 2 && rows.every((row) => now.has(row)), 'the rows of all pods are unchanged');
  await end(second);

  for (const name of hostile) api.remove('pods', `mallory/${name}`);
  api.put('pods', podOn('n1', 'w3', { namespace: 'web' }));
  const third = start();
  const active = await untilState(third, (state) => state.role === 'active');
  t.equal(active.failure, null, 'after the deletion of the objects, the next watcher works');
  await untilPort('web_w3');
  t.ok(
    ['web_w1', 'web_w2'].every((name) => ports.table('Logical_Switch_Port').find('name', name).length === 1),
    'the pods of the other namespace still have their rows',
  );
  await end(third);
});
