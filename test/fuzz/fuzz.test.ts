// A short run of every fuzzer, with the same inputs each time; `npm run fuzz` continues with other seeds for the
// requested time.
import t from 'tap';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

/** Number of inputs of each target, which is the same on every machine. */
const count = 300;

t.setTimeout(120_000);
for (const name of Object.keys(targets)) {
  t.test(name, async (t) => {
    const { finding, outcomes, inputs } = await fuzz(name, { seed: 1, limitMs: 0, fewest: count });
    t.equal(finding, null);
    t.equal(inputs, count);
    t.ok(Object.keys(outcomes).length > 1, JSON.stringify(outcomes));
  });
}
