// Record of arrived probes: which direct routes work.
import t from 'tap';
import { createHearing, silenceMs } from '../../../../agent/overlay/direct/hearing.ts';

t.test('a route works after three probes in succession, and no longer after silence', (t) => {
  const hearing = createHearing();
  for (const atMs of [0, 1000]) hearing.arrived('n2', atMs);
  t.strictSame(hearing.heard(1500), []);
  hearing.arrived('n2', 2000);
  t.strictSame(hearing.heard(2000), ['n2']);
  t.strictSame(hearing.heard(2000 + silenceMs), ['n2']);
  t.strictSame(hearing.heard(2001 + silenceMs), []);
  hearing.arrived('n2', 10_000);
  t.strictSame(hearing.heard(10_000), [], 'one probe after silence does not suffice');
  hearing.arrived('n1', 10_000);
  for (const atMs of [10_500, 11_000]) for (const name of ['n2', 'n1']) hearing.arrived(name, atMs);
  t.strictSame(hearing.heard(11_000), ['n1', 'n2'], 'the names are sorted');
  t.end();
});
