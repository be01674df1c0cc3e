// Whether a row of figures stays where it was: pure arithmetic.
import type { Usage } from './usage.ts';

export interface Trend {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly most: number;
  /** Why it counts as a leak or as slower; null: it does not. */
  readonly fault: string | null;
}

/** Allocators keep pages for a while: what grows beyond this in the course of a soak is kept for good. */
const memorySlackKib = 1024;
const memorySlackShare = 0.1;
/** Other work on the machine moves medians of a few dozen runs by this much. */
const timeSlackShare = 0.25;
/** A run keeps its last twenty journals. */
const mostJournals = 20;
/** The ways back take turns: a tenth has one sample of each at least. */
const fewestSamples = 2;
/**
 * Open vSwitch keeps a netlink socket whenever two of its threads wanted one at once (lib/netlink-socket.c,
 * nl_pool_release).
 */
const netlinkPoolSlack = 2;

/**
 * First and last tenth of every figure side by side. No count may be above all of the first tenth in all of the last,
 * memory and times may not grow beyond their noise.
 */
export function trendsOf(samples: readonly Usage[], timesMs: Readonly<Record<string, readonly number[]>>): Trend[] {
  const names = [...new Set(samples.flatMap((sample) => Object.keys(sample)))];
  const usage = names.map((name): Trend => {
    const values = samples.map((sample) => sample[name] ?? 0);
    return { name, ...endsOf(values), fault: usageFault(name, values) };
  });
  const times = Object.entries(timesMs).map(([name, values]): Trend => {
    const ends = endsOf(values);
    const slower = ends.last > ends.first * (1 + timeSlackShare);
    return { name: `${name}, ms`, ...ends, fault: slower ? 'slower at the end' : null };
  });
  return [...usage, ...times];
}

function usageFault(name: string, values: readonly number[]): string | null {
  const { first, last, most } = endsOf(values);
  if (name === 'journals') return most > mostJournals ? `more than ${mostJournals}` : null;
  if (name.startsWith('KiB '))
    return last > first * (1 + memorySlackShare) + memorySlackKib ? 'memory that is not released' : null;
  const samples = Math.max(fewestSamples, Math.round(values.length / 10));
  const growth = Math.min(...values.slice(-samples)) - Math.max(...values.slice(0, samples));
  const slack = name === 'fds ovs-vswitchd' ? netlinkPoolSlack : 0;
  return growth > slack ? `more at the end: ${values.join(' ')}` : null;
}

/** Medians of the first and the last tenth, and the largest of all. */
function endsOf(values: readonly number[]): { first: number; last: number; most: number } {
  const tenth = Math.max(1, Math.round(values.length / 10));
  return {
    first: median(values.slice(0, tenth)),
    last: median(values.slice(-tenth)),
    most: Math.max(...values),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}
