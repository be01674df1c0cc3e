// Refusals of ports: names, interfaces, VLANs and MACs in use.
import t from 'tap';
import { mostPorts, type OverlayPort, type PortRequest } from '../../../../agent/model/overlay-port.ts';
import { type PortFacts, refusePort } from '../../../../agent/overlay/ports/refuse-port.ts';
import { isSamePort } from '../../../../agent/overlay/ports/same-port.ts';
import { nodeOf } from '../cluster.ts';

const request: PortRequest = {
  name: 'vm1',
  node: 'n1',
  interface: 'tap7',
  vlan: null,
  namespace: 'db',
  labels: { app: 'db', tier: 'x' },
  macs: [],
  addresses: [],
};
const host = { mac: '0a:58:0a:2a:01:fe', addresses: ['10.42.1.254', 'fd01::fe'] };
const { macs: _macs, addresses: _addresses, ...same } = request;
const vm1: OverlayPort = { ...same, hosts: [host] };
const line: OverlayPort = { ...vm1, name: 'line', interface: 'eth1', vlan: 100 };
const facts: PortFacts = { members: [nodeOf(1), nodeOf(2, { subnets: [] })], ports: [line], macs: new Map() };
const mac = '52:54:00:00:00:0a';

t.test('ports that are accepted', (t) => {
  t.equal(refusePort(request, facts).name, 'n1');
  t.doesNotThrow(() => refusePort({ ...request, interface: 'eth1', vlan: 200 }, facts), 'another VLAN of a NIC');
  t.doesNotThrow(() => refusePort({ ...request, macs: [mac, '52:54:00:00:00:0b'] }, facts));
  t.end();
});

for (const [title, asked, given, message, hint] of [
  ['its name is in use', { name: 'line' }, {}, /has a port line already/, /remove/],
  [
    'the cluster has the largest number of ports',
    {},
    { ports: Array.from({ length: mostPorts }, (_, index) => ({ ...line, name: `p${index}` })) },
    /the cluster has 256 ports/,
    /remove/,
  ],
  ['an unknown node', { node: 'n9' }, {}, /n9 is not a node/, /n1, n2/],
  ['a node without pods', { node: 'n2' }, {}, /n2 has no subnet/, /with pods/],
  [
    'untagged packets of a NIC with VLANs',
    { interface: 'eth1' },
    {},
    /eth1 of n1 has the port line in VLAN 100/,
    /either/,
  ],
  [
    'a VLAN of a NIC with untagged packets',
    { vlan: 5 },
    { ports: [{ ...vm1, name: 'other' }] },
    /tap7 of n1 has the port other/,
    /either/,
  ],
  [
    'a VLAN in use',
    { interface: 'eth1', vlan: 100 },
    {},
    /VLAN 100 of eth1 on n1 has the port line/,
    /all of their MACs/,
  ],
  ['a multicast MAC', { macs: ['01:00:5e:00:00:01'] }, {}, /not the MAC of one host/, /itself uses/],
  ['the empty MAC', { macs: ['00:00:00:00:00:00'] }, {}, /not the MAC of one host/, /itself uses/],
  ['a MAC that follows from an address', { macs: ['0a:58:0a:2a:01:01'] }, {}, /follows from an address/, /omit --mac/],
  ['a MAC twice', { macs: [mac, mac] }, {}, /is there twice/, /once/],
  [
    'a MAC in use',
    { macs: [mac] },
    { macs: new Map([[mac, 'default_x@n1']]) },
    /is the MAC of default_x@n1 on n1/,
    /another MAC/,
  ],
] as const satisfies readonly (readonly [string, Partial<PortRequest>, Partial<PortFacts>, RegExp, RegExp])[])
  t.test(title, (t) => {
    const kind = 'overlay-conflict';
    t.throws(() => refusePort({ ...request, ...asked }, { ...facts, ...given }), { kind, message, hint });
    t.end();
  });

t.test('requests for the port that exists', (t) => {
  t.ok(isSamePort(request, vm1));
  t.ok(isSamePort({ ...request, labels: { tier: 'x', app: 'db' } }, vm1), 'labels in another order');
  t.ok(isSamePort({ ...request, addresses: ['fd01::fe'] }, vm1), 'one of its addresses');
  t.ok(isSamePort({ ...request, macs: [mac] }, { ...vm1, hosts: [{ ...host, mac }] }));
  for (const other of [
    { name: 'vm2' },
    { node: 'n2' },
    { interface: 'tap8' },
    { vlan: 1 },
    { namespace: 'x' },
    { labels: { app: 'db' } },
    { macs: [mac] },
    { addresses: ['10.42.1.200'] },
  ] satisfies readonly Partial<PortRequest>[])
    t.notOk(isSamePort({ ...request, ...other }, vm1), JSON.stringify(other));
  t.notOk(isSamePort(request, { ...vm1, hosts: [{ ...host, mac }] }), 'a MAC that does not follow from the address');
  t.end();
});
