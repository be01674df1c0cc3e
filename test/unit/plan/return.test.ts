// The way back to bridges as they were recorded before a run.
import t from 'tap';
import { currentBridges } from '../../../agent/plan/current.ts';
import { planReturn } from '../../../agent/plan/plan.ts';
import { readCase } from './cases.ts';
import { changed } from './change.ts';

t.test('a bridge that is still as it was recorded needs no step', (t) => {
  for (const name of ['static4-again', 'dhcp-again', 'vlan-again', 'bond-ab-again', 'none-again']) {
    const { observation } = readCase(name);
    const recorded = currentBridges(observation);
    t.strictSame(planReturn(recorded, observation).steps, [], name);
    // what NetworkManager notes down when a profile is activated again
    const later = changed(observation, {
      'networkManager/profiles/[id=br-ex]/settings/connection/timestamp': ['t', 1_999_999_999],
    });
    t.strictSame(planReturn(recorded, later).steps, [], `${name}, activated again`);
  }
  t.end();
});
