// Ports in the record of the central node, and the interfaces that it publishes to members.
import t from 'tap';
import {
  isInterfaceName,
  isPortKey,
  isPortName,
  type OverlayPort,
  portKey,
} from '../../../../agent/model/overlay-port.ts';
import { planCentral } from '../../../../agent/overlay/cluster/central.ts';
import { withPorts } from '../../../../agent/overlay/ports/node-interfaces.ts';
import { interfacesIn, portsKey, publishedPorts } from '../../../../agent/overlay/ports/published-ports.ts';
import { recordFault } from '../../../../agent/run/overlay/record/record-form.ts';
import { modern, nodeOf } from '../cluster.ts';

const vm1: OverlayPort = {
  name: 'vm1',
  node: 'n1',
  interface: 'tap7',
  vlan: null,
  namespace: 'db',
  labels: { app: 'db' },
  hosts: [{ mac: '0a:58:0a:2a:01:fe', addresses: ['10.42.1.254'] }],
};
const line: OverlayPort = { ...vm1, name: 'line', node: 'n2', interface: 'eth1', vlan: 100 };
const office: OverlayPort = { ...line, name: 'office', vlan: 200 };

t.test('a member reads its own interfaces, each once', (t) => {
  t.strictSame(publishedPorts([]), {});
  const ids = publishedPorts([vm1, line, office]);
  t.strictSame(interfacesIn(ids, 'n1'), [{ interface: 'tap7', logicalPort: 'db_vm1@n1' }]);
  t.strictSame(interfacesIn(ids, 'n2'), [{ interface: 'eth1', logicalPort: 'trunk:eth1@n2' }]);
  t.strictSame(interfacesIn(ids, 'n3'), []);
  t.strictSame(interfacesIn({}, 'n1'), []);
  t.end();
});

t.test('text in another form counts as no interfaces', (t) => {
  for (const text of [
    'x',
    'null',
    '[]',
    '{"n1": {}}',
    '{"n1": [{}]}',
    '{"n1": [{"interface": "a b", "logicalPort": "x"}]}',
    '{"n1": [{"interface": "eth1", "logicalPort": "a b"}]}',
    '{"n1": [{"interface": "-rf", "logicalPort": "x"}]}',
  ])
    t.strictSame(interfacesIn({ [portsKey]: text }, 'n1'), [], text);
  t.end();
});

t.test('the key is removed with the last port', (t) => {
  const shape = { SB_Global: { external_ids: { kind: 'map', isReference: false } } } as const;
  const apply = (ports: readonly OverlayPort[]) =>
    planCentral({
      owner: 'x',
      connections: [],
      tls: null,
      published: publishedPorts(ports),
      rows: {
        database: 'OVN_Southbound',
        shape,
        tables: { SB_Global: [{ _uuid: 'a', external_ids: { ...publishedPorts([vm1]), other: 'stays' } }] },
      },
    }).changes;
  t.strictSame(apply([vm1]), []);
  t.match(apply([]), [{ columns: [{ drop: [portsKey] }] }]);
  t.end();
});

t.test('a record keeps ports, and an invalid list makes it unusable', (t) => {
  const node = nodeOf(1);
  const record = { format: 1, layout: modern, southbound: ['ssl:192.0.2.11:6642'], node, members: [node] };
  t.equal(recordFault({ ...record, ports: [vm1, line] }), null);
  for (const wrong of [
    { name: 'V' },
    { interface: '' },
    { vlan: 0 },
    { vlan: '1' },
    { namespace: 'a/b' },
    { labels: null },
    { labels: { a: 1 } },
    { hosts: [] },
    { hosts: [{ mac: 'x', addresses: [] }] },
    { hosts: [{ mac: '0a:58:0a:2a:01:fe', addresses: ['x'] }] },
  ])
    t.equal(recordFault({ ...record, ports: [{ ...vm1, ...wrong }] }), 'ports is not usable', JSON.stringify(wrong));
  t.end();
});

t.test('names and keys', (t) => {
  for (const name of ['vm1', 'v', 'vm-1']) t.ok(isPortName(name), name);
  for (const name of ['', 'Vm', '-v', 'v-', 'a.b', 'a@b', 'a'.repeat(64)]) t.notOk(isPortName(name), name);
  for (const name of ['tap7', 'eth0.100', 'enp1s0f0np0']) t.ok(isInterfaceName(name), name);
  for (const name of ['', 'a b', '-x', 'a/b', 'a'.repeat(16)]) t.notOk(isInterfaceName(name), name);
  t.equal(portKey(vm1), 'db/vm1@n1');
  t.ok(isPortKey(portKey(vm1)));
  t.notOk(isPortKey('db/vm1'));
  t.strictSame(
    withPorts([nodeOf(1), nodeOf(3)], [vm1, line]).map(({ ports = [] }) => ports.length),
    [1, 0],
  );
  t.end();
});
