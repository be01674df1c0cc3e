// The way back to bridges as they were recorded before a run.
import t from 'tap';
import { currentBridges } from '../../../agent/plan/current.ts';
import { planRestore, planReturn } from '../../../agent/plan/plan.ts';
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

t.test('a bond whose ports the kernel has outside is started again with them', (t) => {
  const none = { bridges: [] };
  for (const name of ['bond-ab', 'bond-uuid']) {
    const { observation } = readCase(name);
    t.strictSame(planRestore(none, observation), [], `${name}: every port is in it`);
    const loose = changed(observation, { 'links/[name=eth0]/master': null, 'links/[name=eth1]/master': null });
    t.match(
      planRestore(none, loose),
      [{ do: 'activate', profiles: [{ interface: 'bond0' }], ports: [{ interface: 'eth0' }, { interface: 'eth1' }] }],
      `${name}: none is`,
    );
  }
  const { observation } = readCase('bond-ab-again');
  const loose = changed(observation, { 'links/[name=eth0]/master': null, 'links/[name=eth1]/master': null });
  const starts = planRestore(none, loose).filter((step) => step.do === 'activate' || step.do === 'returnUplink');
  t.not(starts.length, 0, 'a return that starts the bond anyway');
  for (const step of starts)
    t.match(step, { ports: [{ interface: 'eth0' }, { interface: 'eth1' }] }, `${step.do}: starts its ports with it`);
  for (const name of ['bond-ab-again', 'dhcp', 'dhcp-again', 'vlan'])
    t.strictSame(planRestore(currentBridges(readCase(name).observation), readCase(name).observation), [], name);
  t.end();
});
