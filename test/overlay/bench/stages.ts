// B6: duration of the loops of ovn-northd, from its own counters.
import type { Place } from './place.ts';

/**
 * Pattern of a name, and below it the number of samples, the extremes and the averages in ms (ovn-appctl
 * stopwatch/show).
 */
const block =
  /Statistics for '([^']+)'\s+Total samples: (\d+)\s+Maximum: (\d+) msec\s+Minimum: (\d+) msec\s+95th percentile: ([\d.]+) msec\s+Short term average: ([\d.]+) msec/g;
const wanted = ['ovn-northd-loop', 'build_lflows'];

export function northdStages({ host }: Place): Readonly<Record<string, number>> {
  const text = host.must('sh', '-c', 'ovn-appctl -t "$(ls /run/ovn/ovn-northd.*.ctl | head -n 1)" stopwatch/show');
  return Object.fromEntries(
    [...text.matchAll(block)]
      .filter(([, name]) => wanted.includes(name ?? ''))
      .flatMap(([, name, samples, most, , , average]) => [
        [`northd ${name}: runs`, Number(samples)],
        [`northd ${name}: longest, ms`, Number(most)],
        [`northd ${name}: short term average, ms`, Number(average)],
      ]),
  );
}
