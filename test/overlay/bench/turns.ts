// npm run bench:turns: measures the time for which the watcher occupies the event loop, and its memory, with many
// objects and with hostile objects (docs/lab/overlay-benchmarks.md). The watcher is a separate process, with the flags
// of the launcher and the limit of the unit.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';
import { exposure, gatewayOf, modern, nodeOf } from '../../unit/overlay/cluster.ts';
import { startCentral } from '../central.ts';
import { ownRelease } from '../releases.ts';
import { serveApi } from '../served-api.ts';
import { scoped } from './scope.ts';
import { type Load, loads } from './turn-loads.ts';
import type { TurnFigures } from './turns-watcher.ts';

const nodes = [1, 2, 3].map((id) => nodeOf(id, { subnets: [`10.42.${16 * id}.0/20`], gateway: gatewayOf(id) }));
/** Number of objects that are created before the watches are read again. */
const piece = 10;
/** Flags of agent/launcher.cjs, and the limit of the heap in the unit. */
const flags = ['--jitless', '--optimize-for-size', '--max-old-space-size=384'];
const program = fileURLToPath(new URL('turns-watcher.js', import.meta.url));
/** Further flags of Node for the measured process, from TURNS_FLAGS, such as `--cpu-prof --trace-gc`. */
const further = (process.env.TURNS_FLAGS ?? '').split(' ').filter((flag) => flag !== '');

/** Returns the figures since the previous request, when the watcher has no work left. */
async function figuresOf(watcher: ChildProcess): Promise<TurnFigures> {
  const answer = once(watcher, 'message');
  watcher.send('figures');
  const [answered] = await Promise.race([
    answer,
    once(watcher, 'exit').then(() => {
      throw new Error('the watcher has ended');
    }),
  ]);
  return answered as TurnFigures;
}

async function measured(t: Test, load: Load): Promise<Readonly<Record<string, unknown>>> {
  const central = await startCentral(t, false, ownRelease());
  await central.apply({ nodes });
  const api = await serveApi(t);
  const start = (): ChildProcess => {
    const words = [
      api.kubeconfig,
      `unix:${central.folder}/nb.sock`,
      JSON.stringify({ layout: modern, nodes, exposure }),
    ];
    const watcher = fork(program, words, { execArgv: [...flags, ...further] });
    t.teardown(() => watcher.kill('SIGKILL'));
    return watcher;
  };
  const end = async (watcher: ChildProcess): Promise<void> => {
    const gone = once(watcher, 'exit');
    watcher.disconnect();
    await gone;
  };
  const first = start();
  await figuresOf(first);
  for (let from = 0; from < load.length; from += piece) {
    for (const [plural, object] of load.slice(from, from + piece)) api.put(plural, object);
    await setImmediate();
  }
  const storm = await figuresOf(first);
  await end(first);
  const second = start();
  const restart = await figuresOf(second);
  await end(second);
  const whole = (figures: readonly number[]): readonly number[] => figures.map(Math.round);
  return {
    'longest turns, ms': whole(storm.longest),
    'with helper threads, ms': whole(storm.withHelpers),
    'at a restart, ms': whole(restart.longest),
    'with helper threads at a restart, ms': whole(restart.withHelpers),
    'CPU, ms': whole([storm.cpuMs, restart.cpuMs]),
    'highest resident, MB': whole([storm.highestMb, restart.highestMb]),
  };
}

for (const [name, load] of Object.entries(loads)) {
  if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
  const figures = await scoped(async (scope) => measured(scope as unknown as Test, load()));
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
}
