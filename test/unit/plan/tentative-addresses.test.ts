// Addresses for whose duplicate address detection a run waits before it moves them.
import t from 'tap';
import type { LinkAddress, Observation } from '../../../agent/model/observation.ts';
import type { Plan } from '../../../agent/model/plan.ts';
import { tentativeAddresses } from '../../../agent/plan/bridge/tentative-addresses.ts';
import { planDisable } from '../../../agent/plan/make-plan.ts';
import { linkAddress } from '../link-address.ts';
import { planOfCase, readCase } from './cases.ts';

const { observation: applied } = readCase('disable-slaac');
const slaac = '2001:db8::5054:ff:feaa:0/64';

/** Returns the addresses that a plan waits for if an interface of the node has this tentative address in addition. */
function awaitedBy(
  planner: (observation: Observation) => Plan,
  observation: Observation,
  device: string,
  text: string,
  more: Partial<LinkAddress> = {},
): readonly string[] {
  const added = { ...linkAddress(text), tentative: true, ...more };
  const links = observation.links.map((link) =>
    link.name === device ? { ...link, addresses: [...link.addresses, added] } : link,
  );
  const seen: Observation = { ...observation, links };
  return tentativeAddresses(planner(seen), seen);
}

const awaited = (device: string, text: string, more?: Partial<LinkAddress>): readonly string[] =>
  awaitedBy(planDisable, applied, device, text, more);

t.strictSame(awaited('br-ex', slaac), [slaac], 'an advertised address is awaited on the link that it leaves');
t.strictSame(awaited('br-ex', slaac, { tentative: false }), [], 'a usable address needs no wait');
t.strictSame(awaited('br-ex', slaac, { dadFailed: true }), [], 'the detection has found a duplicate');
t.strictSame(awaited('br-ex', slaac, { temporary: true }), [], 'a temporary address does not move');
t.strictSame(
  awaited('br-ex', slaac, { foreign: true }),
  [],
  'an address of another program moves in a step of its own',
);
t.strictSame(awaited('br-ex', 'fe80::77/64'), [], 'a link-local address does not move');
t.strictSame(awaited('eth1', slaac), [], 'an address of another NIC does not move');

const changed = readCase('changed-mtu');
const planChanged = (observation: Observation): Plan => planOfCase({ ...changed, observation });
t.equal(planChanged(changed.observation).outcome, 'change');
t.strictSame(
  awaitedBy(planChanged, changed.observation, 'br-ex', slaac),
  [],
  'an address of a bridge that keeps its addresses is not awaited',
);
const fixed = readCase('static-dual');
t.strictSame(
  awaitedBy((observation) => planOfCase({ ...fixed, observation }), fixed.observation, 'eth0', '2001:db8::50/64'),
  ['2001:db8::50/64'],
  'a fixed address of the profile is awaited',
);
