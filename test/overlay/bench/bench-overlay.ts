// npm run bench:overlay: measures the cost of a cluster's central node, also for other programs if a folder with them
// is given. docs/lab/overlay-benchmarks.md.
//   npm run bench:overlay -- [--rounds 5] [--pods 500] [--loads pods,restart,services] [--idle-seconds 60] [--beside DIR] [--only NAME] [--json FILE]
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missingParts } from '../../cluster/binaries.ts';
import { missingForHosts } from '../hosts.ts';
import { type Contestant, contestants, otherCpu, run } from './contestants.ts';
import { followPods, measurePods } from './measure-pods.ts';
import { measureServices } from './measure-services.ts';
import { makePlace, nodeNames } from './place.ts';
import { measureRestart } from './restart.ts';
import { scoped } from './scope.ts';
import { northdStages } from './stages.ts';
import { type Figures, medians, tableOf } from './table.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    pods: { type: 'string', default: '500' },
    services: { type: 'string', default: '200' },
    loads: { type: 'string', default: 'pods,restart,services' },
    'idle-seconds': { type: 'string', default: '60' },
    beside: { type: 'string' },
    only: { type: 'string', multiple: true },
    logs: { type: 'string', default: '/tmp/bench-overlay' },
    json: { type: 'string' },
  },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);
/** Environment variable of the process that has its own namespaces. */
const insideMark = 'BENCH_OVERLAY_INSIDE';

async function main(): Promise<void> {
  const missing = missingForHosts() ?? missingParts() ?? (cpus().length < 2 ? 'two CPUs are needed' : null);
  if (missing !== null) throw new Error(missing);
  mkdirSync(options.logs, { recursive: true });
  const { only = [] } = options;
  const all = contestants(options.beside).filter((one) => only.length === 0 || only.includes(one.name));
  const results = new Map<string, Figures[]>(all.map((one) => [one.name, []]));
  for (let round = 0; round < Number(options.rounds); round++) {
    for (const contestant of round % 2 === 0 ? all : all.toReversed()) {
      const figures = await once(contestant, round);
      say(`# round ${round + 1}, ${contestant.name}: ${JSON.stringify(figures)}`);
      results.get(contestant.name)?.push(figures);
      save(results);
    }
  }
  say(`\n${tableOf(new Map([...results].map(([name, rounds]) => [name, medians(rounds)])))}`);
}

function save(results: ReadonlyMap<string, readonly Figures[]>): void {
  if (options.json === undefined) return;
  const text = JSON.stringify({ options, cpu: cpus()[0]?.model, results: Object.fromEntries(results) }, null, 2);
  writeFileSync(options.json, `${text}\n`);
}

/** Measures one contestant on a machine of its own with the loads of --loads; figures of failed loads are missing. */
function once(contestant: Contestant, round: number): Promise<Figures> {
  const loads = options.loads.split(',');
  return scoped(async (scope) => {
    const place = await makePlace(scope, contestant.mounts);
    contestant.prepare(place);
    const pods = await followPods(place, contestant);
    const log = join(options.logs, `${contestant.name.replaceAll(/\W+/g, '-')}-${round}.log`);
    writeFileSync(log, '');
    let running = run(contestant, place, log);
    scope.teardown(() => running.kill());
    const figures: Record<string, number> = {};
    try {
      // The contestant works when it serves a pod.
      await pods.make('first', nodeNames[0]);
      await pods.served();
      if (loads.includes('pods')) {
        Object.assign(figures, await measurePods(place, pods, running, Number(options.pods)));
        if (contestant.hasRows) Object.assign(figures, northdStages(place));
      }
      if (!contestant.hasRows) return figures;
      if (loads.includes('restart')) {
        const restarted = await measureRestart(place, pods, contestant, running, Number(options['idle-seconds']));
        ({ running } = restarted);
        Object.assign(figures, restarted.figures);
      }
      if (loads.includes('services'))
        Object.assign(figures, await measureServices(place, running, Number(options.services)));
    } catch (error) {
      say(`# ${contestant.name}: ${error instanceof Error ? error.message : String(error)}; see ${log}`);
    }
    return figures;
  });
}

if (process.env[insideMark] === undefined) {
  const words = [
    '--net',
    '--mount',
    'taskset',
    '-c',
    otherCpu,
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ];
  const environment = { ...process.env, [insideMark]: '1' };
  process.exitCode = spawnSync('unshare', words, { stdio: 'inherit', env: environment }).status ?? 1;
} else {
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
  await main();
}
