// Process that `npm run bench:turns` measures: the watcher with the driver of the API server. Its arguments are a
// kubeconfig, the remote of OVN_Northbound and the cluster as JSON; it answers each word on its standard input.
import { readFileSync } from 'node:fs';
import { setImmediate as setTurn } from 'node:timers';
import { openApi } from '../../../agent/drivers/kubernetes/open-api.ts';
import type { Cluster } from '../../../agent/run/overlay/watcher/object-events.ts';
import { startWatcher } from '../../../agent/run/overlay/watcher/watcher.ts';

/** Answer to `figures`: the figures since the previous answer. */
export interface TurnFigures {
  /** CPU time of the event loop's thread in its longest turns, in ms, longest first. */
  readonly longest: readonly number[];
  /** CPU time of the whole process in the turns in which it used most, in ms. */
  readonly withHelpers: readonly number[];
  readonly highestMb: number;
  readonly cpuMs: number;
}

/** Time without a report of the watcher and without a turn of `busyMs`, after which the watcher has no work left. */
const quietMs = 5_000;
const busyMs = 8;
const kept = 5;

const [kubeconfig = '', remote = '', cluster = ''] = process.argv.slice(2);

/**
 * Returns the CPU time of the thread of the event loop in ms (Documentation/scheduler/sched-stats.rst: the first
 * number, in ns), to the next tick of the kernel.
 */
const loopMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

let isActive = false;
let changed = performance.now();
let longest: readonly number[] = [];
let withHelpers: readonly number[] = [];
let began = process.cpuUsage();
let before = process.cpuUsage();
let loopBefore = loopMs();
const withOne = (known: readonly number[], ms: number): readonly number[] =>
  ms <= (known[kept - 1] ?? 0) ? known : [...known, ms].toSorted((a, b) => b - a).slice(0, kept);
/**
 * Measures the turn that has ended, in CPU time, which excludes the load of the machine. The garbage collection has
 * separate threads, and the event loop waits for a part of their work only. The first figure excludes these threads,
 * and the second includes them.
 */
const tick = (): void => {
  const { user, system } = process.cpuUsage(before);
  const [loop, all] = [loopMs() - loopBefore, (user + system) / 1000];
  longest = withOne(longest, loop);
  withHelpers = withOne(withHelpers, all);
  if (loop > busyMs) changed = performance.now();
  before = process.cpuUsage();
  loopBefore = loopMs();
  setTurn(tick);
};

const api = openApi({ kubeconfig, nodeName: 'n1', say: (text) => process.stderr.write(`# ${text}\n`) });
const watcher = startWatcher({
  api,
  remote,
  teller: { say: () => undefined, fail: ({ message }) => process.stderr.write(`# ${message}\n`) },
  note: ({ role }) => {
    isActive = role === 'active';
    changed = performance.now();
  },
});
watcher.know(JSON.parse(cluster) as Cluster);
setTurn(tick);

process.on('message', () => {
  const look = setInterval(() => {
    if (!isActive || performance.now() - changed < quietMs) return;
    clearInterval(look);
    const { user, system } = process.cpuUsage(began);
    const figures: TurnFigures = {
      longest,
      withHelpers,
      highestMb: process.resourceUsage().maxRSS / 1000,
      cpuMs: (user + system) / 1000,
    };
    process.send?.(figures);
    longest = [];
    withHelpers = [];
    began = process.cpuUsage();
  }, 200);
});
process.on('disconnect', () => process.exit(0));
