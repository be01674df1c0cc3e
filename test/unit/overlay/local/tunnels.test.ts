import t from 'tap';
import type { DatabaseRow, DatabaseRows } from '../../../../agent/model/rows.ts';
import { tunnelMissing, tunnelsOf } from '../../../../agent/overlay/local/tunnels.ts';

/** Returns rows of Open_vSwitch with one tunnel, whose interface has this state. */
function vswitch(says: Partial<DatabaseRow>): DatabaseRows {
  const end = {
    _uuid: 'end',
    name: 'ovn-n2-0',
    type: 'geneve',
    options: { remote_ip: '192.0.2.12' },
    ofport: 3,
    ...says,
  };
  const ports = [
    { _uuid: 'port', name: 'ovn-n2-0', interfaces: 'end', external_ids: { 'ovn-chassis-id': 'n2-id@192.0.2.12' } },
    { _uuid: 'other', name: 'eth0', interfaces: 'nic', external_ids: {} },
  ];
  const tables = { Port: ports, Interface: [end, { _uuid: 'nic', name: 'eth0', link_state: 'down' }] };
  return { database: 'Open_vSwitch', shape: {}, tables };
}

/** Returns rows of OVN_Southbound with these chassis, each with the addresses of its tunnels. */
function southbound(chassis: Readonly<Record<string, readonly string[]>>): DatabaseRows {
  const encaps = Object.entries(chassis).flatMap(([name, ends]) =>
    ends.map((end) => ({ _uuid: `${name} ${end}`, type: end.split(' ')[0] ?? '', ip: end.split(' ')[1] ?? '' })),
  );
  const rows = Object.entries(chassis).map(([name, ends]) => ({
    _uuid: name,
    name,
    encaps: ends.map((end) => `${name} ${end}`),
  }));
  return { database: 'OVN_Southbound', shape: {}, tables: { Chassis: rows, Encap: encaps } };
}

t.test('the state of a tunnel in Open vSwitch', (t) => {
  const fault = (says: Partial<DatabaseRow>) => tunnelsOf(vswitch(says)).map((one) => one.fault);
  t.strictSame(tunnelsOf(vswitch({ link_state: 'up', admin_state: 'up' })), [
    { interface: 'ovn-n2-0', type: 'geneve', chassis: 'n2-id', remoteAddress: '192.0.2.12', fault: null },
  ]);
  t.strictSame(fault({ error: 'could not add it (File exists)', ofport: -1 }), [
    'Open vSwitch could not make it: could not add it (File exists)',
  ]);
  t.strictSame(fault({ ofport: -1 }), ['Open vSwitch could not make it']);
  t.strictSame(fault({ admin_state: 'down' }), ['it is not up']);
  t.strictSame(fault({ link_state: 'down' }), ['nothing leads to its other end']);
  t.strictSame(fault({ link_state: 'down', status: { tunnel_egress_iface: 'br-ex' } }), [
    'br-ex, by which it leaves, has no carrier',
  ]);
  const bfd = { enable: 'true' };
  t.strictSame(fault({ bfd, bfd_status: { state: 'up' } }), [null]);
  t.strictSame(fault({ bfd, bfd_status: { state: 'down', diagnostic: 'Control Detection Time Expired' } }), [
    'BFD says down: Control Detection Time Expired',
  ]);
  t.strictSame(
    fault({ bfd: { enable: 'false' }, bfd_status: { state: 'down' } }),
    [null],
    'without BFD, the state of BFD is not a fault',
  );
  t.end();
});

t.test('why two chassis have no tunnel', (t) => {
  const missing = (chassis: Readonly<Record<string, readonly string[]>>) =>
    tunnelMissing({ from: 'n1-id', to: 'n2-id', addresses: ['192.0.2.12'] }, southbound(chassis));
  const n1 = ['geneve 192.0.2.11'];
  t.equal(missing({ 'n1-id': n1, 'n2-id': ['geneve 192.0.2.12', 'vxlan 192.0.2.12'] }), null);
  t.equal(missing({ 'n1-id': n1, 'n2-id': ['vxlan 192.0.2.12'] }), 'no type in common: geneve here, vxlan there');
  t.equal(missing({ 'n1-id': n1 }), 'it has not registered');
  t.equal(
    missing({ 'n1-id': n1, 'n3-id': ['geneve 192.0.2.12'] }),
    'it has not registered: chassis n3-id has its address 192.0.2.12',
  );
  t.equal(missing({ 'n2-id': ['geneve 192.0.2.12'] }), 'this node itself has not registered');
  t.equal(missing({ 'n1-id': n1, 'n2-id': ['vxlan 192.0.2.11'] }), 'it has the address of this node, 192.0.2.11');
  t.end();
});
