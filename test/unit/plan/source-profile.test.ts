// The administrator's profile that configures a NIC.
import t from 'tap';
import { isAgentError } from '../../../agent/errors.ts';
import { externalBridge, gatewayBridge } from '../../../agent/model/names.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import type { Step } from '../../../agent/model/plan.ts';
import { planApply, planDisable } from '../../../agent/plan/make-plan.ts';
import { adminProfile, uplinkSource } from '../../../agent/plan/uplink/source-profile.ts';
import { appliedCase, configOf, readCase } from './cases.ts';
import { changed } from './change.ts';

const eth0 = 'networkManager/devices/[interface=eth0]';
const idle = { [`${eth0}/state`]: 30, [`${eth0}/activeConnection`]: null };

t.test('the active profile of the NIC, before and after the move', (t) => {
  const source = uplinkSource(gatewayBridge, 'eth0', readCase('static4').observation);
  t.match(source, { id: 'eth0', isActive: true, given: null, addressLink: { name: 'eth0' } });
  const moved = uplinkSource(gatewayBridge, 'eth0', appliedCase('static4').observation);
  t.match(moved, { id: 'eth0', isActive: true, given: { connection: {} }, addressLink: { name: 'br-ex' } });
  t.end();
});

t.test("without an active profile, the profile from which the agent's profiles were made", (t) => {
  const { observation } = appliedCase('static4');
  const other = { ...observation.networkManager.profiles[0], path: '/other', uuid: 'other', id: 'other' };
  const down = changed(observation, { ...idle, 'networkManager/profiles/[+]': other });
  const both = {
    ...down,
    networkManager: { ...down.networkManager, profiles: down.networkManager.profiles.toReversed() },
  };
  for (const seen of [down, both]) t.match(uplinkSource(gatewayBridge, 'eth0', seen), { id: 'eth0', isActive: false });
  t.end();
});

t.test('without profiles of the agent, the profile that names the NIC', (t) => {
  const down = changed(readCase('static4').observation, idle);
  t.match(uplinkSource(gatewayBridge, 'eth0', down), { id: 'eth0', isActive: false });
  t.equal(adminProfile(gatewayBridge, 'eth7', down), undefined);
  t.end();
});

t.test("a profile of configure-ovs.sh is not the administrator's", (t) => {
  t.match(uplinkSource(gatewayBridge, 'eth0', readCase('script').observation), { id: 'eth0', isActive: false });
  t.match(uplinkSource(gatewayBridge, 'bond0', readCase('script-bond').observation), { id: 'bond0' });
  t.match(uplinkSource(externalBridge, 'eth1', readCase('script-extra-bridge').observation), { id: 'eth1' });
  t.end();
});

t.test("after the NIC was removed from the bridge by hand, the bridge still has the NIC's settings", (t) => {
  const out = changed(appliedCase('dhcp').observation, { '-ovs/bridges/[name=br-ex]/ports/[name=eth0]': true });
  const source = uplinkSource(gatewayBridge, 'eth0', out);
  t.match(source, { given: { connection: {} }, addressLink: { name: 'br-ex' } });
  t.end();
});

t.test('a NIC that replaces another in the bridge is not configured by the profile of the other NIC', (t) => {
  const { observation } = appliedCase('static4');
  const link = observation.links.find((entry) => entry.name === 'eth0');
  const device = observation.networkManager.devices.find((entry) => entry.interface === 'eth0');
  const replaced = changed(observation, {
    'links/[+]': { ...link, name: 'eth7', mac: '02:00:00:00:00:07' },
    'networkManager/devices/[+]': { ...device, path: '/eth7', interface: 'eth7', state: 10, activeConnection: null },
    'ovs/bridges/[name=br-ex]/ports/[name=eth0]/interfaces/[0]/name': 'eth7',
    'ovs/bridges/[name=br-ex]/ports/[name=eth0]/name': 'eth7',
  });
  const isWrong = (step: Step): boolean =>
    (step.do === 'clearUplink' && step.interface === 'eth7' && step.profile?.id === 'eth0') ||
    (step.do === 'detachUplink' && step.interface === 'eth7' && step.profile.id === 'eth0');
  t.notOk(applied(replaced).some(isWrong), '`apply` does not use the profile of the other NIC');
  t.notOk(planDisable(replaced).steps.some(isWrong), '`disable` does not use the profile of the other NIC');
  t.end();
});

/** Returns the steps of the plan; none if the plan is refused, or waits. */
function applied(observation: Observation): readonly Step[] {
  try {
    const decision = planApply(configOf(null), observation, true);
    return decision.kind === 'planned' ? decision.plan.steps : [];
  } catch (error) {
    if (isAgentError(error) && error.kind !== 'internal') return [];
    throw error;
  }
}
