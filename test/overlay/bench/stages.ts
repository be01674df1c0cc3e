// B6: where the time goes behind the contestant, as ovn-northd itself counts it.
import type { Place } from './place.ts';

/** A name, and below it samples, minimum, maximum and averages, in milliseconds (ovn-appctl stopwatch/show). */
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
