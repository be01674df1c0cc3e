// NICs for which NetworkManager's dispatcher scripts run with `up`: those that have left their bridges.
import t from 'tap';
import type { Step } from '../../../agent/model/plan.ts';
import { returnedNics } from '../../../agent/run/announce-up.ts';

const profile = { id: 'eth0', uuid: '1' };
const detach = (activate: boolean): Step => ({
  do: 'detachUplink',
  bridge: 'br-ex',
  interface: 'eth0',
  profile,
  activate,
  mac: null,
  addresses: [],
  routes: [],
  metric: 47,
  why: '',
});
const attach: Step = { do: 'attachUplink', bridge: 'br-ex', interface: 'eth0', why: '' };

t.test('NICs that have left their bridges', (t) => {
  t.strictSame(returnedNics({ steps: [detach(false)] }), [{ interface: 'eth0', profile, addresses: [] }]);
  t.strictSame(returnedNics({ steps: [detach(true)] }), [], 'NetworkManager itself announces an activation');
  t.strictSame(returnedNics({ steps: [detach(false), attach] }), [], 'a NIC that is in a bridge again is not listed');
  t.strictSame(returnedNics({ steps: [attach] }), []);
  t.end();
});
