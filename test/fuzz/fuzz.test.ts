// A short run of every fuzzer, with the same inputs each time; `npm run fuzz` continues with other seeds for the
// requested time.
import t from 'tap';
import { fuzz } from './fuzz.ts';
import { targets } from './targets.ts';

/** Time for each target, enough for thousands of inputs on most machines. */
const eachMs = 1_000;

t.setTimeout(120_000);
for (const name of Object.keys(targets)) {
  t.test(name, async (t) => {
    const { finding, outcomes, inputs } = await fuzz(name, { seed: 1, limitMs: eachMs });
    t.equal(finding, null);
    t.ok(inputs > 100, `${inputs} inputs`);
    t.ok(Object.keys(outcomes).length > 1, JSON.stringify(outcomes));
  });
}
