import t from 'tap';
import { differenceLine, inWords, planInWords } from '../../../agent/compare/in-words.ts';
import type { DifferenceKind, NetworkDifference, Plan } from '../../../agent/model/plan.ts';
import { planOfCase, readCase } from '../plan/cases.ts';

const device = 'eth0';
const present = { bridge: 'br-ex', wanted: 'present', observed: 'absent' };
const absent = { bridge: 'br-ex', wanted: 'absent', observed: 'present' };
const no = { bridge: 'br-ex', wanted: 'yes', observed: 'no' };

t.test('every kind of difference in words', (t) => {
  const leftover = { ...absent, kind: 'leftover', profile: 'br-ex', uuid: 'u' } as const;
  const configured = { bridge: 'br-ex', kind: 'uplink-configured', device, wanted: null } as const;
  const mtu = { bridge: 'br-ex', kind: 'setting', profile: 'ovs-if-br-ex', setting: 'ipv4', key: 'gateway' } as const;
  const table: readonly (readonly [NetworkDifference, string])[] = [
    [{ ...present, kind: 'profile', profile: 'br-ex' }, 'profile br-ex: wanted present, observed absent'],
    [{ ...no, kind: 'active', profile: 'br-ex' }, 'profile br-ex active: wanted yes, observed no'],
    [{ ...mtu, wanted: 'a', observed: null }, 'profile ovs-if-br-ex ipv4.gateway: wanted a, observed (unset)'],
    [{ ...mtu, wanted: null, observed: 'a' }, 'profile ovs-if-br-ex ipv4.gateway: wanted (unset), observed a'],
    [{ ...leftover, onDisk: false }, 'profile br-ex (u): wanted absent, observed present'],
    [{ ...leftover, onDisk: true, observed: '/etc/a' }, 'profile br-ex on disk: wanted absent, observed /etc/a'],
    [{ ...present, kind: 'bridge' }, 'bridge br-ex: wanted present, observed absent'],
    [{ ...absent, kind: 'surplus' }, 'bridge br-ex: wanted absent, observed present'],
    [{ ...absent, kind: 'owner', wanted: 'u', observed: null }, 'owner of bridge br-ex: wanted u, observed none'],
    [{ ...present, kind: 'port', device }, 'bridge br-ex port eth0: wanted present, observed absent'],
    [
      { ...absent, kind: 'port-error', device, wanted: null, observed: 'no such device' },
      'bridge br-ex port eth0: wanted no error, observed no such device',
    ],
    [{ ...absent, kind: 'foreign-device', device }, 'bridge br-ex port eth0: wanted absent, observed present'],
    [{ ...absent, kind: 'mac', wanted: 'AA', observed: null }, 'MAC of br-ex: wanted AA, observed absent'],
    [{ ...present, kind: 'address', address: 'a/24' }, 'address a/24 on br-ex: wanted present, observed absent'],
    [{ ...configured, observed: 'a/24, b/24' }, 'IP settings of eth0: wanted none, observed a/24, b/24'],
    [
      { ...configured, observed: 'configuring' },
      'IP settings of eth0: wanted none, observed NetworkManager is configuring it',
    ],
    [{ ...no, kind: 'uplink-inactive', device }, 'profile of eth0 active: wanted yes, observed no'],
  ];
  for (const [difference, line] of table) {
    const words = inWords(difference);
    t.equal(differenceLine(words), line);
    t.match(words, { bridge: 'br-ex', kind: difference.kind }, 'the bridge and the kind of the difference are kept');
  }
  t.equal(new Set(table.map(([{ kind }]): DifferenceKind => kind)).size, 14);
  t.end();
});

t.test('differences in the journal of an earlier agent are in words already, and are not changed', (t) => {
  const subject = 'profile br-ex';
  const earlier = { subject, wanted: 'present', observed: 'absent' };
  const plan = { ...planOfCase(readCase('dhcp')), differences: [earlier] } as unknown as Plan;
  t.strictSame(planInWords(plan).differences, [earlier]);
  t.end();
});
