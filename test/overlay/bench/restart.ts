// B4 and B5: a contestant is killed and started again twice. The database already contains all rows, and after the
// second start the contestant has no work.
import { setTimeout as pause } from 'node:timers/promises';
import { type Contestant, type Running, run } from './contestants.ts';
import type { Pods } from './measure-pods.ts';
import { nodeNames, type Place, probeNamespace } from './place.ts';
import { usageOf } from './process-usage.ts';
import { balanced, makePolicies, makeServices, wantedVips } from './services-and-policies.ts';
import { endOf, writtenSince } from './written.ts';

const limitMs = 300_000;
const services = 100;
const policies = 50;
const endpoints = 2;

export interface Restarted {
  readonly running: Running;
  readonly figures: Readonly<Record<string, number>>;
}

/** Adds services and policies to the existing pods, and measures two restarts of the contestant. */
export async function measureRestart(
  place: Place,
  pods: Pods,
  contestant: Contestant,
  first: Running,
  idleSeconds: number,
): Promise<Restarted> {
  await makePolicies(place, policies);
  await Promise.all([
    makeServices(place, 0, services, endpoints),
    balanced(place, wantedVips(0, services, endpoints, 0), limitMs),
  ]);
  // A contestant that serves this pod has processed everything before it.
  await pods.make('before-restart', nodeNames[0], probeNamespace);
  await pods.served();

  await first.kill();
  // Last pod of the contestant's list; when it is served, all pods before it have been processed.
  await pods.make('while-away', nodeNames[0], probeNamespace).then(() => {});
  const start = performance.now();
  const second = run(contestant, place, first.log);
  await pods.served();
  const syncMs = performance.now() - start;
  const syncCpu = usageOf(second.pid).cpuSeconds;

  await second.kill();
  const fileBefore = endOf(place.database);
  const third = run(contestant, place, first.log);
  // No event reports the absence of work, so the measurement of the third start begins after twice the time that the
  // second start needed.
  await pause(2 * syncMs);
  const before = usageOf(third.pid);
  await pause(idleSeconds * 1000);
  const after = usageOf(third.pid);
  const { transactions, rows } = writtenSince(place.database, fileBefore);
  return {
    running: third,
    figures: {
      'restart: in sync, s': syncMs / 1000,
      'restart: CPU, s': syncCpu,
      'restart: NB transactions': transactions,
      'restart: NB rows': rows,
      'idle: resident, MB': after.residentMb,
      'idle: anonymous, MB': after.anonymousMb,
      'idle: highest resident, MB': after.peakMb,
      'idle: CPU per minute, s': ((after.cpuSeconds - before.cpuSeconds) / idleSeconds) * 60,
    },
  };
}
