// VXLAN devices of a node, from which ovn-controller learns the VTEPs of peers.
import t from 'tap';
import { kernelCommand } from '../../../../agent/model/overlay-plan.ts';
import { planVtepDevices, type VtepEntry, vtepDevicesIn } from '../../../../agent/overlay/peers/vtep-devices.ts';
import { linkOf } from '../../link.ts';
import { f5 } from '../cluster.ts';

const ownMac = '0a:58:76:74:65:70';
const bridge = linkOf('vxlan-drop', [], { mac: ownMac, kind: 'bridge', up: false });
const made = linkOf('vxlan-0', [], { mac: ownMac, kind: 'vxlan', master: 'vxlan-drop' });
const entry: VtepEntry = { mac: f5.vtep.mac, address: f5.vtep.address, isExternal: true };
const whole = new Map([['vxlan-0', [entry]]]);
const planned = (...words: Parameters<typeof planVtepDevices>): readonly string[] =>
  planVtepDevices(...words).map(kernelCommand);
const makeBridge = `ip link add name vxlan-drop address ${ownMac} type bridge`;
const make = `ip link add name vxlan-0 address ${ownMac} master vxlan-drop type vxlan id 0 dstport 6077 nolearning`;
const add = 'bridge fdb add 0a:58:0a:81:04:02 dev vxlan-0 dst 192.0.2.9 self static extern_learn';
const up = 'ip link set dev vxlan-0 up';

t.test('the device comes up last, and in a bridge that stays down', (t) => {
  t.strictSame(planned([f5], [], new Map()), [makeBridge, make, add, up]);
  t.strictSame(planned([f5], [bridge, made], whole), [], 'nothing to do');
  t.strictSame(planned([f5], [bridge, { ...made, up: false }], new Map()), [add, up], 'after a run that was killed');
  t.strictSame(planned([f5], [{ ...bridge, up: true }, made], whole), ['ip link set dev vxlan-drop down']);
  t.strictSame(
    planned([f5], [{ ...made, master: null }], whole),
    [makeBridge, 'ip link set dev vxlan-0 master vxlan-drop'],
    'a bridge that was removed',
  );
  t.end();
});

t.test('other entries of the device are removed', (t) => {
  for (const other of [{ mac: '02:00:00:00:00:77' }, { address: '192.0.2.70' }, { isExternal: false }]) {
    const wrong = { ...entry, ...other };
    const gone = `bridge fdb del ${wrong.mac} dev vxlan-0 dst ${wrong.address}`;
    t.strictSame(planned([f5], [bridge, made], new Map([['vxlan-0', [wrong]]])), [gone, add]);
  }
  t.end();
});

t.test('devices without a peer are removed, and devices of other programs stay', (t) => {
  const others = [
    linkOf('vxlan-7', [], { mac: '02:00:00:00:00:07', kind: 'vxlan' }),
    linkOf('vxlan-x', [], { mac: ownMac, kind: 'vxlan' }),
  ];
  const all = [bridge, made, ...others];
  t.strictSame(vtepDevicesIn(all), ['vxlan-0']);
  t.strictSame(planned([], all, whole), ['ip link delete dev vxlan-0', 'ip link delete dev vxlan-drop']);
  t.strictSame(planned([], others, new Map()), []);
  const seven = { ...f5, vtep: { ...f5.vtep, vni: 7 } };
  const change = planned([seven], all, whole);
  t.match(change, [/delete dev vxlan-0/, /add name vxlan-7/, /fdb add .* vxlan-7/, /set dev vxlan-7 up/]);
  t.end();
});
