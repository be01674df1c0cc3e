import t from 'tap';
import type { Listener, OverlayChassis, OverlayGateway, OverlayNode } from '../../../../agent/model/overlay.ts';
import { sharedSettings } from '../../../../agent/overlay/local/shared-settings.ts';
import {
  addressEntries,
  announcedAddresses,
  furtherAddresses,
} from '../../../../agent/overlay/members/announced-addresses.ts';
import { announcedListeners } from '../../../../agent/overlay/members/announced-listeners.ts';
import { announcedRanges, hostCidrsOf } from '../../../../agent/overlay/members/announced-ranges.ts';
import { announcedGateway, announcement } from '../../../../agent/overlay/members/announcement.ts';
import { membersNow } from '../../../../agent/overlay/members/members.ts';
import { planNorthbound } from '../../../../agent/overlay/plan-northbound.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { applied, dual, dualNode, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf } from '../cluster.ts';

/** Returns the chassis row of a node, with the values that its ovn-controller has copied. */
function chassisOf(id: number, gateway: OverlayGateway, special: Partial<OverlayChassis> = {}): OverlayChassis {
  const node = nodeOf(id);
  return {
    name: node.systemId,
    hostname: node.name,
    encaps: node.encap.addresses.map((address) => ({ address, type: 'geneve', owner: node.systemId })),
    cmsOptions: ['enable-chassis-as-gw', ...announcement(gateway), 'availability-zones=a:b'].join(','),
    bridgeMappings: `other:br-other,${gateway.physicalNetwork}:${gateway.bridge}`,
    ...special,
  };
}

const dedicated = gatewayOf(2, {
  kind: 'dedicated',
  bridge: 'br-gweth1',
  physicalNetwork: 'physnet-eth1',
  addresses: ['203.0.113.9/24', '2001:db8:7::9/64'],
  nextHops: ['203.0.113.1', 'fe80::1'],
  vlan: 7,
  subnets: ['10.42.1.0/24', 'fd01:0:0:4::/64'],
});

const vip = gatewayOf(2, {
  kind: 'dedicated',
  mac: '0a:58:c0:00:02:64',
  addresses: ['192.0.2.100/24'],
  isVip: true,
});

t.test('the central node reads the announcement as the node wrote it', (t) => {
  for (const gateway of [gatewayOf(2), dedicated, vip])
    t.strictSame(announcedGateway(chassisOf(2, gateway), dual), { gateway });
  t.equal(
    announcedGateway({ name: 'x', hostname: 'n2', encaps: [] }, dual),
    null,
    'a chassis without an announcement has no gateway',
  );
  t.equal(announcedGateway(chassisOf(2, dedicated, { cmsOptions: 'enable-chassis-as-gw' }), dual), null);
  t.end();
});

t.test('an invalid announcement is refused with the fault', (t) => {
  const said = (replace: string, by: string): string => announcement(dedicated).join(',').replace(replace, by);
  for (const [cmsOptions, fault] of [
    [said('kind=dedicated', 'kind=other'), /"other" is not a kind/],
    [said('mac=52', 'mac=53'), /"53:.*is not the MAC of a NIC/],
    [said('mac=52:54', 'mac=$(reboot)'), /is not the MAC/],
    [said('physnet-eth1', 'elsewhere'), /network "elsewhere" has no bridge/],
    [said('203.0.113.9/24', '203.0.113.9'), /"203.0.113.9" is not an address of a gateway/],
    [said('203.0.113.9/24', '127.0.0.1/8'), /is not an address of a gateway/],
    [said('203.0.113.9/24', '224.0.0.5/8'), /is not an address of a gateway/],
    [said('203.0.113.9/24', '0.0.0.0/0'), /is not an address of a gateway/],
    [said('2001:db8:7::9/64', 'fe80::9/64'), /is not an address of a gateway/],
    [said('203.0.113.9/24', '10.42.3.2/24'), /within 10\.42\.0\.0\/16 of the cluster itself/],
    [said('203.0.113.9/24', '10.43.0.1/24'), /within 10\.43\.0\.0\/16/],
    [said('203.0.113.9/24', '100.64.0.1/16'), /within 100\.64\.0\.0\/16/],
    [said('2001:db8:7::9/64', '203.0.113.8/24'), /two addresses of one family/],
    [said('203.0.113.1', '203.0.113.9'), /it is its own next hop/],
    [said('203.0.113.1', '203.0.113.1 && 1'), /is not an address of a router/],
    [said('fe80::1', '203.0.113.2'), /two next hops of one family/],
    [said('10.42.1.0/24', '10.99.1.0/24'), /10\.99\.1\.0\/24 is not in 10\.42\.0\.0\/16 or fd01::\/48/],
    [said('10.42.1.0/24', '0.0.0.0/0'), /0\.0\.0\.0\/0 is not in/],
    [said('10.42.1.0/24', '10.42.1.9/24'), /is not a subnet/],
    [said('vlan=7', 'vlan=4095'), /"4095" is not a VLAN/],
    [`${said('', '')},microshift-net:kind=shared`, /two entries where one is permitted/],
    [`${said('', '')}${',microshift-net:subnet=10.42.1.0/24'.repeat(200)}`, /at most 128 are permitted/],
    [`${said('', '')},microshift-net:vip=yes`, /not the one that moves with its address/],
    ['microshift-net:', /is not a kind/],
    ['microshift-net:kind=shared', /has no bridge/],
  ] as const)
    t.match(announcedGateway(chassisOf(2, dedicated, { cmsOptions }), dual), { fault }, String(fault));
  const bridgeMappings = 'physnet-eth1:br int,physnet:br-ex';
  t.match(announcedGateway(chassisOf(2, dedicated, { bridgeMappings }), dual), { fault: /has no bridge/ });
  t.match(announcedGateway(chassisOf(2, dedicated), modern), { fault: /a family that the cluster does not have/ });
  t.end();
});

t.test('members and what their chassis announce', (t) => {
  const members = [nodeOf(1), nodeOf(2, { hostAddresses: [] }), nodeOf(3)];
  const own = nodeOf(1, { gateway: gatewayOf(1) });
  const chassis = [chassisOf(2, gatewayOf(2)), chassisOf(3, gatewayOf(3, { addresses: ['192.0.2.12/24'] }))];
  const { nodes, trace, faults } = membersNow(modern, own, members, chassis);
  t.strictSame(nodes, [own, nodeOf(2, { gateway: gatewayOf(2) }), nodeOf(3)]);
  t.strictSame(trace, [
    'gateway=n2 192.0.2.12/24 on br-ex, as it announces it',
    'gateway=n3 ignored: n2 has 192.0.2.12 already',
  ]);
  t.match(faults, [/^certificate 0+-.*3 \(n3\) announces a gateway that is not taken: n2 has 192\.0\.2\.12 already/]);
  const both = [chassisOf(2, vip), chassisOf(3, vip)];
  const granted = { addresses: vip.addresses, subnets: [] };
  const trusted = members.map((member) => ({ ...member, granted }));
  t.match(
    membersNow(modern, own, trusted, both).nodes,
    [own, { gateway: vip }, { gateway: vip }],
    'several nodes can announce one VIP',
  );
  const rival = [chassisOf(2, vip), chassisOf(3, { ...vip, nextHops: ['192.0.2.2'] })];
  t.match(membersNow(modern, own, trusted, rival).faults, [
    /192\.0\.2\.100\/24 to 192\.0\.2\.1\) has 192\.0\.2\.100 already/,
  ]);
  const stranger = chassisOf(2, gatewayOf(2), { name: 'somebody' });
  t.match(
    membersNow(modern, own, members, [stranger]).nodes[1],
    { gateway: null },
    'a chassis can announce only the gateway of its own node',
  );
  t.end();
});

t.test(
  'addresses that a node and its gateway share are reached at the node itself, also those of the central node',
  (t) => {
    const sharing = (id: number): OverlayGateway =>
      gatewayOf(id, {
        addresses: [`198.51.100.${id}/24`, `2001:db8::${id}/64`],
        nextHops: ['198.51.100.254', '2001:db8::fe'],
      });
    const granted = { addresses: ['198.51.100.2', '2001:db8::2'], subnets: [] };
    const lone = (id: number) => dualNode(id, { hostAddresses: [`192.0.2.${10 + id}`], granted });
    const led = (own: OverlayNode): readonly string[] => {
      const { nodes } = membersNow(dual, own, [lone(1), lone(2)], [chassisOf(2, sharing(2))]);
      const database = emptyNorthbound();
      applied(database, { layout: dual, nodes });
      const policies = database.rows().tables.Logical_Router_Policy ?? [];
      return policies
        .filter(({ action }) => action === 'reroute')
        .map(({ match }) => String(match))
        .toSorted();
    };
    const ofMember = [
      'ip4.dst == 192.0.2.12 /* n2 */',
      'ip4.dst == 198.51.100.2 /* n2 */',
      'ip6.dst == 2001:db8::2 /* n2 */',
    ];
    t.strictSame(
      led({ ...lone(1), gateway: sharing(1) }),
      [
        'ip4.dst == 192.0.2.11 /* n1 */',
        'ip4.dst == 198.51.100.1 /* n1 */',
        'ip6.dst == 2001:db8::1 /* n1 */',
        ...ofMember,
      ].toSorted(),
    );
    const apart = { ...lone(1), gateway: { ...sharing(1), kind: 'dedicated' } as const };
    t.strictSame(
      led(apart),
      ['ip4.dst == 192.0.2.11 /* n1 */', ...ofMember].toSorted(),
      'an address of the gateway alone does not lead to the node',
    );
    t.end();
  },
);

t.test("a gateway that gets another node's subnet, and returns it", (t) => {
  const database = emptyNorthbound();
  const routes = (): readonly string[] =>
    (database.rows().tables.Logical_Router_Static_Route ?? [])
      .filter(({ policy }) => String(policy) === 'src-ip')
      .map(({ ip_prefix, nexthop }) => `${String(ip_prefix)} ${String(nexthop)}`)
      .toSorted();
  const plan = (first: OverlayGateway | null, second: OverlayGateway): void => {
    const own = nodeOf(1, { gateway: first });
    const granted = { addresses: [], subnets: ['10.42.1.0/24', '10.42.3.0/24'] };
    const { nodes } = membersNow(modern, own, [nodeOf(1), nodeOf(2, { granted }), nodeOf(3)], [chassisOf(2, second)]);
    applied(database, { nodes });
    const again = planNorthbound(factsOf(database.rows(), { nodes }));
    t.strictSame(operationsOf(again, database.rows().shape), []);
  };
  plan(gatewayOf(1), gatewayOf(2));
  t.strictSame(
    routes(),
    ['10.42.1.0/24 100.64.0.2', '10.42.2.0/24 100.64.0.3'],
    'the packets of each subnet leave by their own node',
  );
  plan(gatewayOf(1), gatewayOf(2, { subnets: ['10.42.1.0/24', '10.42.3.0/24'] }));
  t.strictSame(routes(), ['10.42.1.0/24 100.64.0.3', '10.42.2.0/24 100.64.0.3', '10.42.3.0/24 100.64.0.3']);
  plan(gatewayOf(1), gatewayOf(2));
  t.strictSame(
    routes(),
    ['10.42.1.0/24 100.64.0.2', '10.42.2.0/24 100.64.0.3'],
    'a subnet returns to its own node n1 in the same plan',
  );
  plan(null, gatewayOf(2));
  t.strictSame(routes(), ['10.42.2.0/24 100.64.0.3']);
  t.end();
});

t.test('settings in Open vSwitch that other programs share', (t) => {
  const gateway = gatewayOf(1);
  const said = announcement(gateway).join(',');
  for (const [there, put, after] of [
    [{}, { 'ovn-bridge-mappings': 'physnet:br-ex', 'owner-mapping': 'physnet:br-ex', 'ovn-cms-options': said }, {}],
    [
      { 'ovn-bridge-mappings': 'other:br-other', 'ovn-cms-options': 'enable-chassis-as-gw' },
      { 'ovn-bridge-mappings': 'other:br-other,physnet:br-ex', 'ovn-cms-options': `enable-chassis-as-gw,${said}` },
      { 'ovn-bridge-mappings': 'other:br-other', 'ovn-cms-options': 'enable-chassis-as-gw' },
    ],
    [
      { 'ovn-bridge-mappings': 'physnet:br-ex' },
      { 'ovn-bridge-mappings': 'physnet:br-ex', 'owner-mapping': undefined },
      { 'ovn-bridge-mappings': 'physnet:br-ex' },
    ],
  ] as const) {
    const first = sharedSettings(there, gateway);
    t.match(first.put, put, JSON.stringify(there));
    const joined = changed(there, first);
    t.strictSame(changed(joined, sharedSettings(joined, gateway)), joined, 'a second run changes no setting');
    t.strictSame(changed(joined, sharedSettings(joined, null)), after, 'the settings are the same as before');
  }
  const moved = changed({}, sharedSettings({}, gateway));
  t.match(
    sharedSettings(moved, dedicated).put,
    { 'ovn-bridge-mappings': 'physnet-eth1:br-gweth1' },
    'the mapping names the other bridge',
  );
  t.end();
});

function changed(
  there: Readonly<Record<string, string>>,
  { put, drop }: ReturnType<typeof sharedSettings>,
): Readonly<Record<string, string>> {
  const all = Object.entries({ ...there, ...put }).filter(([key]) => !drop.includes(key));
  return Object.fromEntries(all);
}

t.test('the further addresses of a member', (t) => {
  const said = (addresses: readonly string[]) => ({ cmsOptions: addressEntries(addresses).join() });
  t.strictSame(announcedAddresses(said(['192.0.2.112', '2001:DB8::112'])), ['192.0.2.112', '2001:db8::112']);
  const lies = ['127.0.0.1', '224.0.0.1', '0.0.0.0', 'fe80::1', '192.0.2.300', '192.0.2.0/24', 'n1', ''];
  t.strictSame(announcedAddresses(said(lies)), [], 'only words in the form of an address are read');
  const many = Array.from({ length: 40 }, (_, index) => `198.51.100.${index}`);
  t.equal(addressEntries(many).length, 32);
  const twice = { cmsOptions: [...many, ...many].map((one) => `microshift-net-has:${one}`).join() };
  t.equal(announcedAddresses(twice).length, 32, 'the number of announced addresses is limited');
  const node = nodeOf(2, { gateway: gatewayOf(2) });
  const own = [...node.hostAddresses, ...(node.gateway?.addresses ?? []).map((one) => one.replace(/\/.*/, ''))];
  const onInterfaces = [...own, '127.0.0.1', 'fe80::2', '10.42.2.2', '192.0.2.112', '2001:DB8::112', '192.0.2.112'];
  t.strictSame(
    furtherAddresses(onInterfaces, node, ['10.42.0.0/16']),
    ['192.0.2.112', '2001:db8::112'],
    'addresses that are known already, or belong to the cluster, are left out',
  );
  t.end();
});

t.test('addresses with prefix lengths, and outside clients', (t) => {
  const hostCidrs = hostCidrsOf(
    ['192.0.2.12/24', '2001:0db8::12/64', '127.0.0.1/8', 'fe80::1/64', '10.42.1.2/24', '192.0.2.12/24', 'nothing'],
    ['10.42.0.0/16'],
  );
  t.strictSame(hostCidrs, ['192.0.2.12/24', '2001:db8::12/64']);
  const outsideClients = ['192.0.2.50/32', '0.0.0.0/0'];
  const there = {
    'ovn-cms-options': 'enable-chassis-as-gw,microshift-net-cidr:192.0.2.99/24,microshift-net-client:::/0',
  };
  const { put } = sharedSettings(there, null, { hostCidrs, outsideClients });
  const cmsOptions = put['ovn-cms-options'] ?? '';
  t.strictSame(
    announcedRanges({ cmsOptions }),
    { hostCidrs, outsideClients },
    'the central node reads the ranges that the node has written',
  );
  t.match(sharedSettings(there, null).put, there, 'settings stay if no change of them was requested');
  t.strictSame(sharedSettings(there, null, { hostCidrs: [] }).put, { 'ovn-cms-options': 'enable-chassis-as-gw' });
  const chassis = chassisOf(2, gatewayOf(2), { cmsOptions });
  t.match(membersNow(modern, nodeOf(1), [nodeOf(1), nodeOf(2)], [chassis]).nodes[1], { hostCidrs, outsideClients });
  const lies = [
    ...['cidr:192.0.2.12', 'cidr:192.0.2.12/0', 'cidr:127.0.0.1/8', 'cidr:x/24', 'client:x', 'client:192.0.2.1'],
    ...['client:fe80::1%x/64', 'client:192.0.2.0/24\nroute replace default via 192.0.2.66', 'client:192.0.2.0/24 '],
  ]
    .map((text) => `microshift-net-${text}`)
    .join();
  t.strictSame(announcedRanges({ cmsOptions: lies }), {}, 'invalid ranges are ignored');
  const many = Array.from({ length: 200 }, (_, index) => `microshift-net-cidr:192.0.2.${index}/24`).join();
  t.equal(announcedRanges({ cmsOptions: many }).hostCidrs?.length, 32, 'the number of announced ranges is limited');
  t.end();
});

t.test('addresses and ports on which processes of a member listen', (t) => {
  const listeners: readonly Listener[] = [
    { protocol: 'tcp', port: 443, address: null },
    { protocol: 'udp', port: 30_053, address: '2001:db8::12' },
  ];
  const there = { 'ovn-cms-options': 'enable-chassis-as-gw,microshift-net-listens:tcp/80' };
  const { put } = sharedSettings(there, gatewayOf(2), {
    listeners,
    furtherAddresses: ['192.0.2.112', '2001:db8::112'],
  });
  const cmsOptions = put['ovn-cms-options'] ?? '';
  t.strictSame(
    announcedListeners({ cmsOptions }),
    listeners,
    'the central node reads the listeners that the node has written',
  );
  t.match(sharedSettings(there, null).put, there, 'settings stay if no change of them was requested');
  t.strictSame(
    sharedSettings(there, null, { listeners: [], furtherAddresses: [] }).put,
    { 'ovn-cms-options': 'enable-chassis-as-gw' },
    'the announcement is removed with the node',
  );
  const gateway = gatewayOf(2);
  const chassis = chassisOf(2, gateway, { cmsOptions });
  const { nodes, faults } = membersNow(modern, nodeOf(1), [nodeOf(1), nodeOf(2)], [chassis]);
  t.strictSame(faults, []);
  t.match(nodes[1], {
    gateway: { addresses: gateway.addresses },
    listeners,
    furtherAddresses: ['192.0.2.112', '2001:db8::112'],
  });
  const lies = ['tcp/0', 'tcp/70000', 'icmp/1', 'tcp/80@nowhere', 'tcp/80@', 'tcp/80;drop', '']
    .map((text) => `microshift-net-listens:${text}`)
    .join();
  t.strictSame(announcedListeners({ cmsOptions: lies }), [], 'invalid listeners are ignored');
  const many = Array.from({ length: 1000 }, (_, index) => `microshift-net-listens:tcp/${30_000 + index}`).join();
  t.equal(announcedListeners({ cmsOptions: many }).length, 64, 'the number of announced listeners is limited');
  t.end();
});
