// B3: many services at the same time, and then other endpoints for each of them.
import type { Running } from './contestants.ts';
import type { Place } from './place.ts';
import { usageOf } from './process-usage.ts';
import { balanced, makeServices, replaceEndpoints, wantedVips } from './services-and-policies.ts';
import { endOf, writtenSince } from './written.ts';

const limitMs = 300_000;
const endpoints = 5;
/** Number of the first service; lower numbers belong to the services of restart.ts. */
const first = 500;

export async function measureServices(place: Place, running: Running, count: number) {
  const created = await measured(place, running, 0, () => makeServices(place, first, count, endpoints), count);
  const replaced = await measured(place, running, 1, () => replaceEndpoints(place, first, count, endpoints), count);
  const named = (what: string, figures: typeof created): [string, number][] =>
    Object.entries(figures).map(([name, figure]) => [`${what}: ${name}`, figure]);
  return Object.fromEntries([...named('services', created), ...named('all endpoints replaced', replaced)]);
}

async function measured(
  place: Place,
  running: Running,
  generation: number,
  work: () => Promise<unknown>,
  count: number,
) {
  const [before, fileBefore, start] = [usageOf(running.pid), endOf(place.database), performance.now()];
  await Promise.all([work(), balanced(place, wantedVips(first, count, endpoints, generation), limitMs)]);
  const seconds = (performance.now() - start) / 1000;
  const { transactions, rows, bytes } = writtenSince(place.database, fileBefore);
  const cpu = usageOf(running.pid).cpuSeconds - before.cpuSeconds;
  return {
    'in sync, s': seconds,
    'CPU, s': cpu,
    'NB transactions': transactions,
    'NB rows': rows,
    'NB KB': bytes / 1000,
  };
}
