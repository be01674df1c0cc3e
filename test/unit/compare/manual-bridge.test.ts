import t from 'tap';
import { missingFromBridge } from '../../../agent/compare/manual-bridge.ts';
import type { Link, OvsInterface, Route } from '../../../agent/model/observation.ts';
import { missingText } from '../../../agent/view/status-view.ts';

const port = (name: string, more: Partial<OvsInterface> = {}): OvsInterface => {
  return { uuid: name, name, type: '', ofport: 1, error: null, externalIds: {}, ...more };
};
const link = (name: string, address?: string, up = true): Link =>
  ({
    name,
    up,
    addresses: address === undefined ? [] : [{ family: 4, address, prefixLength: 24, scope: 'global' }],
  }) as unknown as Link;
const through = (device: string): Route => ({
  family: 4,
  destination: '0.0.0.0/0',
  gateway: '192.0.2.1',
  device,
  metric: 0,
});

function lacks(
  interfaces: readonly OvsInterface[] | null,
  links: readonly Link[],
  routes: readonly Route[],
  uplink?: string,
): string[] {
  const row = {
    uuid: 'b',
    name: 'br-ex',
    datapathType: '',
    failMode: null,
    otherConfig: {},
    externalIds: uplink === undefined ? {} : { 'bridge-uplink': uplink },
    ports: (interfaces ?? []).map((entry) => ({
      uuid: entry.name,
      name: entry.name,
      externalIds: {},
      interfaces: [entry],
    })),
  };
  const ovs = {
    version: '3',
    bridges: interfaces === null ? [] : [row],
    externalIds: {},
    otherConfig: {},
    nextCfg: 1,
    curCfg: 1,
  };
  return missingFromBridge({ ovs, links, routes }, false).map(({ what, fix }) => `${what}: ${fix}`);
}

const internal = port('br-ex', { type: 'internal' });
const ready = [link('br-ex', '192.0.2.50'), link('eth0')];

t.test('each missing part is named with the command that adds it', (t) => {
  t.strictSame(lacks([internal, port('eth0')], ready, [through('br-ex')]), []);
  t.strictSame(lacks(null, [], []), ['the bridge br-ex does not exist: ovs-vsctl add-br br-ex']);
  t.match(lacks([internal], ready, [through('br-ex')]), [/^br-ex has no NIC: ovs-vsctl add-port br-ex NIC/]);
  t.match(lacks([internal, port('eth0'), port('eth1')], ready, [through('br-ex')]), [/eth0, eth1.*bridge-uplink NIC$/]);
  t.strictSame(lacks([internal, port('eth0'), port('eth1')], ready, [through('br-ex')], 'eth1'), []);
  t.match(lacks([internal, port('eth0', { error: 'could not open', ofport: -1 })], ready, [through('br-ex')]), [
    /could not open/,
  ]);
  t.strictSame(
    lacks([internal, port('eth0')], [link('br-ex', undefined, false), link('eth0', '192.0.2.50')], [through('eth0')]),
    [
      'br-ex is down: ip link set br-ex up',
      'br-ex has no address: ip address add 192.0.2.50/24 dev br-ex',
      '192.0.2.50/24 is still on eth0, whose packets go to br-ex now: ip address delete 192.0.2.50/24 dev eth0',
      'no default route goes through br-ex: ip route add default via GATEWAY dev br-ex',
    ],
  );
  t.end();
});

t.test('the missing parts as text', (t) => {
  t.equal(missingText([]), 'br-ex has all that ovn-kubernetes needs.');
  t.equal(missingText([{ what: 'a', fix: 'b' }]), 'ovn-kubernetes cannot use br-ex yet:\n  a: b');
  t.end();
});
