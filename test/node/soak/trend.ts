// Test whether a series of figures stays at its level.
import { median } from '../../median.ts';
import type { Usage } from './usage.ts';

export interface Trend {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  readonly most: number;
  /** Reason why the series counts as a leak or as slower; null if it does neither. */
  readonly fault: string | null;
}

/** Growth of memory that is accepted, because allocators keep pages for a while; more growth counts as a leak. */
const memorySlackKib = 1024;
const memorySlackShare = 0.1;
/** Growth of a median of some dozen runs that is accepted, because other programs use the machine. */
const timeSlackShare = 0.25;
/** Number of journals that the agent keeps. */
const mostJournals = 20;
/** Smallest number of samples in a tenth: `disable` and `undo` alternate, and each needs one. */
const fewestSamples = 2;
/**
 * Accepted growth of the number of open files of ovs-vswitchd, which keeps a further netlink socket if two of its
 * threads have needed one at the same time (lib/netlink-socket.c, nl_pool_release).
 */
const netlinkPoolSlack = 2;

/**
 * Compares the first and the last tenth of every figure. No count in the last tenth may be above all counts of the
 * first, and memory and times may not grow beyond their accepted growth.
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

/** Returns the medians of the first and the last tenth, and the largest of all values. */
function endsOf(values: readonly number[]): { first: number; last: number; most: number } {
  const tenth = Math.max(1, Math.round(values.length / 10));
  return {
    first: median(values.slice(0, tenth)),
    last: median(values.slice(-tenth)),
    most: Math.max(...values),
  };
}
