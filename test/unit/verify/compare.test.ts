import t from 'tap';
import type { Observation } from '../../../agent/model/observation.ts';
import { ownNames } from '../../../agent/plan/names.ts';
import { planApply } from '../../../agent/plan/plan.ts';
import { compare } from '../../../agent/verify/compare.ts';
import { readCase } from '../plan/cases.ts';
import { changed } from '../plan/change.ts';

const { config, observation } = readCase('static4-again');
const decision = planApply(config, observation, true);
if (decision.kind !== 'planned') throw new TypeError('static4-again can be planned');
const { wanted } = decision.plan;

function subjects(seen: Observation): readonly string[] {
  return compare(wanted, seen, ownNames).map((entry) => `${entry.subject}: ${entry.observed} → ${entry.wanted}`);
}

t.test('a node as it was set up has no difference', (t) => {
  t.strictSame(subjects(observation), []);
  t.end();
});

const profile = (id: string) => `networkManager/profiles/[id=${id}]/settings`;

t.test('what counts as a difference', (t) => {
  const table: readonly (readonly [change: Record<string, unknown>, wanted: readonly string[]])[] = [
    [
      { [`${profile('ovs-if-br-ex')}/ipv4/method`]: ['s', 'auto'] },
      ['profile ovs-if-br-ex ipv4.method: auto → manual'],
    ],
    [
      { [`-${profile('ovs-if-br-ex')}/ovs-interface/type`]: true },
      ['profile ovs-if-br-ex ovs-interface.type: (unset) → internal'],
    ],
    [
      { [`${profile('ovs-if-br-ex')}/ipv4/never-default`]: ['b', true] },
      ['profile ovs-if-br-ex ipv4.never-default: true → (unset)'],
    ],
    [{ '-networkManager/profiles/[id=ovs-port-phys0]': true }, ['profile ovs-port-phys0: absent → present']],
    [{ 'networkManager/activeConnections/[id=br-ex]/state': 3 }, ['profile br-ex active: no → yes']],
    [{ '-ovs/bridges/[name=br-ex]': true }, ['bridge br-ex: absent → present']],
    [{ 'links/[name=br-ex]/mac': '02:00:00:00:00:01' }, ['MAC of br-ex: 02:00:00:00:00:01 → 52:54:00:AA:00:00']],
    [{ 'links/[name=br-ex]/addresses': [] }, ['address 192.0.2.50/24 on br-ex: absent → present']],
    [{ 'ovs/bridges/[+]': { ...observation.ovs.bridges[0], name: 'br-ex1' } }, ['bridge br-ex1: present → absent']],
    [
      { 'networkManager/profiles/[+]': { path: '/x', uuid: 'other', id: 'ovs-if-phys1', filename: '', settings: {} } },
      ['profile ovs-if-phys1 (other): present → absent'],
    ],
  ];
  for (const [change, differences] of table) t.strictSame(subjects(changed(observation, change)), differences);
  t.end();
});

t.test('what does not', (t) => {
  const table: readonly Record<string, unknown>[] = [
    { [`${profile('ovs-if-br-ex')}/connection/timestamp`]: ['t', 5] },
    { [`-${profile('ovs-if-br-ex')}/connection/autoconnect`]: true },
    { [`${profile('ovs-if-br-ex')}/ipv6/dns-search`]: ['as', []] },
    { [`${profile('ovs-port-br-ex')}/ipv4`]: { method: ['s', 'auto'] } },
    { [`${profile('ovs-if-br-ex')}/802-3-ethernet/auto-negotiate`]: ['b', false] },
    { 'links/[name=br-ex]/mac': '52:54:00:Aa:00:00' },
    { 'ovs/bridges/[+]': { ...observation.ovs.bridges[0], name: 'br-int' } },
    { 'networkManager/profiles/[+]': { path: '/x', uuid: 'other', id: 'somebody', filename: '', settings: {} } },
    { 'ovs/bridges/[name=br-ex]/otherConfig': { 'disable-in-band': 'true' } },
  ];
  for (const change of table) t.strictSame(subjects(changed(observation, change)), [], JSON.stringify(change));
  t.end();
});

t.test('the order of keys is no difference', (t) => {
  const data = observation.networkManager.profiles.find((entry) => entry.id === 'ovs-if-br-ex')?.settings.user?.data;
  const reversed = Object.fromEntries(Object.entries(data?.[1] as object).toReversed());
  t.strictSame(subjects(changed(observation, { [`${profile('ovs-if-br-ex')}/user/data`]: ['a{ss}', reversed] })), []);
  t.end();
});
