import t from 'tap';
import { defaultConfig } from '../../../../../agent/config/defaults.ts';
import type { HostFacts } from '../../../../../agent/facts/overlay-host.ts';
import type { Config } from '../../../../../agent/model/config.ts';
import type { OverlayRecord } from '../../../../../agent/model/overlay-record.ts';
import { withOwnAddress } from '../../../../../agent/run/overlay/node/own-address.ts';
import { linkOf } from '../../../link.ts';
import { gatewayOf, modern, nodeOf } from '../../../overlay/cluster.ts';

/** Returns a host with these addresses on br-ex, and by default a default route through it. */
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

t.test('an address that the node still has is kept', (t) => {
  t.equal(withOwnAddress(record, defaultConfig, host(['198.51.100.7/24', '192.0.2.11/24'])), record);
  t.equal(
    withOwnAddress(record, defaultConfig, host(['192.0.2.11/24'], false)),
    record,
    'an existing address is kept, regardless of the routes',
  );
  t.end();
});

t.test('the recorded address is kept while no other address is known', (t) => {
  t.equal(withOwnAddress(record, defaultConfig, host([])), record);
  t.equal(withOwnAddress(record, defaultConfig, host(['198.51.100.7/24'], false)), record);
  const fixed = { ...defaultConfig.overlay, encapAddress: { value: '192.0.2.11', source: 'ovn.yaml:2' } };
  const elsewhere = host(['198.51.100.7/24']);
  t.equal(
    withOwnAddress(record, { ...defaultConfig, overlay: fixed }, elsewhere),
    record,
    'an address of ovn.yaml that the node lacks is kept',
  );
  t.end();
});

t.test('a central node that has moved', (t) => {
  const moved = withOwnAddress(record, defaultConfig, host(['198.51.100.7/24']));
  t.strictSame(moved.node.encap, { types: ['geneve'], addresses: ['198.51.100.7'] });
  t.strictSame(moved.node.hostAddresses, ['198.51.100.7']);
  t.strictSame(moved.southbound, ['ssl:198.51.100.7:6642'], 'the address of the southbound database changes as well');
  t.strictSame(moved.members, [moved.node, nodeOf(2)], 'the other members stay unchanged');
  t.match(
    moved.node.gateway,
    { addresses: ['198.51.100.7/24'], nextHops: ['198.51.100.1'] },
    'the gateway on br-ex gets the new address',
  );
  t.end();
});

/** Returns the host with these addresses on lo. */
function withOnLo(facts: HostFacts, ...addresses: readonly string[]): HostFacts {
  return { ...facts, links: [...facts.links, linkOf('lo', ['127.0.0.1/8', ...addresses])] };
}

t.test('addresses of the API server on a central node with MicroShift', async (t) => {
  const there = host(['192.0.2.11/24']);
  const both = ['192.0.2.11', '10.44.0.0'];

  t.test('the address after the service network, as soon as MicroShift has added it', (t) => {
    const now = withOwnAddress(record, defaultConfig, withOnLo(there, '10.44.0.0/32'));
    t.strictSame(now.node.hostAddresses, both);
    t.strictSame(now.node.encap, central.encap, 'the tunnel addresses are unchanged');
    t.strictSame(now.members, [now.node, nodeOf(2)]);
    t.strictSame(now.southbound, record.southbound);
    t.strictSame(
      withOwnAddress(record, defaultConfig, host(['192.0.2.11/24', '10.44.0.0/32'])),
      now,
      'the address is also found on br-ex',
    );
    t.equal(
      withOwnAddress(now, defaultConfig, withOnLo(there, '10.44.0.0/32')),
      now,
      'a second reading changes nothing',
    );
    t.equal(
      withOwnAddress(now, defaultConfig, there),
      now,
      'after a boot, the address is kept until MicroShift has started',
    );
    const moved = withOwnAddress(now, defaultConfig, withOnLo(host(['198.51.100.7/24']), '10.44.0.0/32'));
    t.strictSame(
      moved.node.hostAddresses,
      ['198.51.100.7', '10.44.0.0'],
      'the address after the service network is kept when the node moves',
    );
    t.end();
  });

  t.test('the address of each family, and none for a network that ends with the address range', (t) => {
    const serviceSubnets = ['10.43.0.0/16', 'fd02::/112', '255.255.0.0/16'];
    const dual = { ...record, layout: { ...modern, serviceSubnets } };
    const now = withOwnAddress(dual, defaultConfig, withOnLo(there, '10.44.0.0/32', 'fd02::1:0/128'));
    t.strictSame(now.node.hostAddresses, [...both, 'fd02::1:0']);
    t.end();
  });

  t.test('apiServer.advertiseAddress, if the node has it', (t) => {
    const advertising = (value: string): Config => {
      const advertiseAddress = { value, source: 'config.yaml:2' };
      return { ...defaultConfig, cluster: { ...defaultConfig.cluster, advertiseAddress } };
    };
    const config = advertising('203.0.113.5');
    const now = withOwnAddress(record, config, withOnLo(there, '203.0.113.5/32'));
    t.strictSame(now.node.hostAddresses, ['192.0.2.11', '203.0.113.5']);
    t.equal(withOwnAddress(record, config, there), record, 'an address that no interface has is not added');
    t.strictSame(
      withOwnAddress(now, defaultConfig, there),
      record,
      'an address that is no longer configured is removed',
    );
    t.equal(
      withOwnAddress(record, advertising('192.0.2.11'), there),
      record,
      'an address that the node has already is not added',
    );
    t.end();
  });

  t.test('a member has no address of the API server', (t) => {
    const member = { ...record, node: nodeOf(2), members: null };
    const facts = withOnLo(host(['192.0.2.12/24']), '10.44.0.0/32');
    t.equal(withOwnAddress(member, defaultConfig, facts), member);
    t.end();
  });
});

t.test('a member that has moved', (t) => {
  const gateway = gatewayOf(2, { kind: 'dedicated', interface: 'eth1' });
  const member = { ...record, node: nodeOf(2, { gateway }), members: null };
  const moved = withOwnAddress(member, defaultConfig, host(['198.51.100.7/24']));
  t.strictSame(moved.node.encap.addresses, ['198.51.100.7']);
  t.strictSame(moved.southbound, record.southbound, 'the address of the central node is unchanged');
  t.strictSame(moved.node.gateway, gateway, 'a gateway with a NIC of its own is unchanged');
  t.end();
});
