import t from 'tap';
import { compare } from '../../../agent/compare/compare-bridges.ts';
import { inWords } from '../../../agent/compare/in-words.ts';
import { ownNames } from '../../../agent/model/names.ts';
import type { Observation } from '../../../agent/model/observation.ts';
import { planApply } from '../../../agent/plan/make-plan.ts';
import { linkAddress } from '../link-address.ts';
import { appliedCase } from '../plan/cases.ts';
import { changed } from '../plan/change.ts';

const { config, observation } = appliedCase('static4');
const decision = planApply(config, observation, true);
if (decision.kind !== 'planned') throw new TypeError('static4 can be planned');
const { wanted } = decision.plan;

function subjects(seen: Observation): readonly string[] {
  return compare(wanted, seen, ownNames)
    .map(inWords)
    .map((entry) => `${entry.subject}: ${entry.observed} → ${entry.wanted}`);
}

t.test('a node in the desired state has no difference', (t) => {
  t.strictSame(subjects(observation), []);
  t.end();
});

const profile = (id: string) => `networkManager/profiles/[id=${id}]/settings`;

t.test('changes of a node that are differences', (t) => {
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
      ['profile ovs-if-br-ex ipv4.never-default: yes → (unset)'],
    ],
    [{ '-networkManager/profiles/[id=ovs-port-br-ex]': true }, ['profile ovs-port-br-ex: absent → present']],
    [{ 'networkManager/activeConnections/[id=br-ex]/state': 3 }, ['profile br-ex active: no → yes']],
    [{ '-ovs/bridges/[name=br-ex]': true }, ['bridge br-ex: absent → present']],
    [
      { [`-${profile('ovs-if-br-ex')}/connection/autoconnect`]: true },
      ['profile ovs-if-br-ex connection.autoconnect: (unset) → no'],
    ],
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

t.test('changes of a node that are not differences', (t) => {
  const table: readonly Record<string, unknown>[] = [
    { [`${profile('ovs-if-br-ex')}/connection/timestamp`]: ['t', 5] },
    { [`${profile('ovs-if-br-ex')}/connection/read-only`]: ['b', false] },
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

t.test('keys in another order are not a difference', (t) => {
  const data = observation.networkManager.profiles.find((entry) => entry.id === 'ovs-if-br-ex')?.settings.user?.data;
  const reversed = Object.fromEntries(Object.entries(data?.[1] as object).toReversed());
  t.strictSame(subjects(changed(observation, { [`${profile('ovs-if-br-ex')}/user/data`]: ['a{ss}', reversed] })), []);
  t.end();
});

const address = linkAddress('192.0.2.50/24');
const device = 'networkManager/devices/[interface=eth0]';
const [unmanaged, unavailable, disconnected, prepare, ipConfig, secondaries, activated, deactivating, failed] = [
  10, 20, 30, 40, 70, 90, 100, 110, 120,
];

t.test('the states of a NIC in its bridge', (t) => {
  const none: readonly object[] = [];
  const has = [{ kind: 'uplink-configured', wanted: null, observed: '192.0.2.50/24' }];
  const comes = [{ kind: 'uplink-configured', wanted: null, observed: 'configuring' }];
  const inactive = [{ kind: 'uplink-inactive', wanted: 'yes', observed: 'no' }];
  const table: readonly (readonly [what: string, change: Record<string, unknown>, wanted: readonly object[]])[] = [
    ['active, without an address', {}, none],
    ['active, with one', { 'links/[name=eth0]/addresses': [address] }, has],
    ['being configured', { [`${device}/state`]: ipConfig }, comes],
    ['at the first step of it', { [`${device}/state`]: prepare }, comes],
    ['at the last step of it', { [`${device}/state`]: secondaries }, comes],
    ['disconnected', { [`${device}/state`]: disconnected }, inactive],
    ['disconnected, no cable', { [`${device}/state`]: disconnected, 'links/[name=eth0]/carrier': false }, none],
    ['no cable', { [`${device}/state`]: unavailable, 'links/[name=eth0]/carrier': false }, none],
    ['not managed', { [`${device}/state`]: unmanaged, 'links/[name=eth0]/addresses': [address] }, none],
    ['on its way down', { [`${device}/state`]: deactivating }, none],
    ['failed, about to be disconnected', { [`${device}/state`]: failed }, none],
    [
      'taken out: whatever it runs, that comes first',
      { '-ovs/bridges/[name=br-ex]/ports/[name=eth0]': true, 'links/[name=eth0]/addresses': [address] },
      [{ kind: 'port', wanted: 'present', observed: 'absent' }],
    ],
    [
      'an ovs-port of the same name is not the NIC',
      {
        'networkManager/devices': [
          { ...observation.networkManager.devices[0], interface: 'eth0', type: 25, state: disconnected },
          ...observation.networkManager.devices,
        ],
      },
      none,
    ],
  ];
  for (const [what, change, differences] of table) {
    const found = compare(wanted, changed(observation, { ...change, [`${device}/driver`]: 'veth' }), ownNames);
    t.match(found, differences, what);
    t.equal(found.length, differences.length, what);
    t.ok(
      found.every((entry) => entry.bridge === 'br-ex'),
      what,
    );
  }
  t.equal(activated, observation.networkManager.devices.find((entry) => entry.interface === 'eth0')?.state);
  t.end();
});

t.test('a difference is described by its fields', (t) => {
  const of = (change: Record<string, unknown>) => compare(wanted, changed(observation, change), ownNames);
  t.match(of({ [`${profile('ovs-if-br-ex')}/ipv4/method`]: ['s', 'auto'] }), [
    { kind: 'setting', bridge: 'br-ex', profile: 'ovs-if-br-ex', setting: 'ipv4', key: 'method' },
  ]);
  t.match(of({ '-networkManager/profiles/[id=br-ex]': true }), [{ kind: 'profile', profile: 'br-ex' }]);
  t.match(of({ 'networkManager/activeConnections/[id=br-ex]/state': 3 }), [{ kind: 'active', profile: 'br-ex' }]);
  t.match(of({ 'ovs/bridges/[name=br-ex]/externalIds': {} }), [{ kind: 'owner', bridge: 'br-ex', observed: null }]);
  t.end();
});
