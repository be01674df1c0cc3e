import t from 'tap';
import { defaultConfig } from '../../../../agent/config/defaults.ts';
import type { HostFacts } from '../../../../agent/facts/overlay.ts';
import type { OverlayRecord } from '../../../../agent/model/overlay-record.ts';
import { withOwnAddress } from '../../../../agent/run/overlay/own-address.ts';
import { linkOf } from '../../link.ts';
import { gatewayOf, modern, nodeOf } from '../../overlay/cluster.ts';

/** A host with these addresses on br-ex, and a default route over it unless told otherwise. */
function host(addresses: readonly string[], hasRoute = true): HostFacts {
  const route = { family: 4, destination: '0.0.0.0/0', gateway: '198.51.100.1', device: 'br-ex', metric: 48 } as const;
  return { hostname: 'n1', links: [linkOf('br-ex', addresses)], routes: hasRoute ? [route] : [] };
}

const central = nodeOf(1, { gateway: gatewayOf(1) });
const record: OverlayRecord = {
  format: 1,
  layout: modern,
  southbound: ['ssl:192.0.2.11:6642'],
  node: central,
  members: [central, nodeOf(2)],
};

t.test('an address that is still there is kept', (t) => {
  t.equal(withOwnAddress(record, defaultConfig, host(['198.51.100.7/24', '192.0.2.11/24'])), record);
  t.equal(withOwnAddress(record, defaultConfig, host(['192.0.2.11/24'], false)), record, 'whatever the routes say');
  t.end();
});

t.test('while there is no other address, nothing is known', (t) => {
  t.equal(withOwnAddress(record, defaultConfig, host([])), record);
  t.equal(withOwnAddress(record, defaultConfig, host(['198.51.100.7/24'], false)), record);
  const fixed = { ...defaultConfig.overlay, encapAddress: { value: '192.0.2.11', source: 'ovn.yaml:2' } };
  const elsewhere = host(['198.51.100.7/24']);
  t.equal(withOwnAddress(record, { overlay: fixed }, elsewhere), record, 'one that ovn.yaml names is waited for');
  t.end();
});

t.test('a central node that has moved', (t) => {
  const moved = withOwnAddress(record, defaultConfig, host(['198.51.100.7/24']));
  t.strictSame(moved.node.encap, { types: ['geneve'], addresses: ['198.51.100.7'] });
  t.strictSame(moved.node.hostAddresses, ['198.51.100.7']);
  t.strictSame(moved.southbound, ['ssl:198.51.100.7:6642'], 'its southbound database moves along');
  t.strictSame(moved.members, [moved.node, nodeOf(2)], 'and the others stay');
  t.match(moved.node.gateway, { addresses: ['198.51.100.7/24'], nextHops: ['198.51.100.1'] }, 'so does br-ex');
  t.end();
});

t.test('a member that has moved', (t) => {
  const gateway = gatewayOf(2, { kind: 'dedicated', interface: 'eth1' });
  const member = { ...record, node: nodeOf(2, { gateway }), members: null };
  const moved = withOwnAddress(member, defaultConfig, host(['198.51.100.7/24']));
  t.strictSame(moved.node.encap.addresses, ['198.51.100.7']);
  t.strictSame(moved.southbound, record.southbound, 'the central node has not');
  t.strictSame(moved.node.gateway, gateway, 'nor has a gateway with a NIC of its own');
  t.end();
});
