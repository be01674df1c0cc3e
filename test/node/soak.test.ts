// A few rounds of the soak test, which show a leak in every run.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { soakCycles } from './soak/soak.ts';

t.test('repeated runs and their reversals leave no trace', { skip: nodeSkip }, async (t) => {
  const { trends, faults } = await soakCycles({
    lan: 'dhcp',
    cycles: 6,
    sampleEvery: 1,
    say: (text) => t.comment(text),
  });
  t.strictSame(faults, []);
  for (const { name, first, last, fault } of trends) {
    // Six runs are too few for a statement about durations.
    if (!name.endsWith(', ms')) t.equal(fault, null, `${name}: ${first}, then ${last}`);
  }
});
