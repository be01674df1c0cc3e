// Claims that members write about themselves: a false claim is reported with its certificate's name, and rows of other
// members do not change.
import t from 'tap';
import type { ChassisEncap, OverlayChassis, OverlayGateway, OverlayNode } from '../../../../agent/model/overlay.ts';
import { announcement } from '../../../../agent/overlay/members/announcement.ts';
import { membersNow } from '../../../../agent/overlay/members/members.ts';
import { planNorthbound } from '../../../../agent/overlay/plan-northbound.ts';
import { dual, dualNode, emptyNorthbound, factsOf, gatewayOf, modern, nodeOf } from '../cluster.ts';

const members = [nodeOf(1), nodeOf(2, { hostAddresses: [] }), nodeOf(3, { hostAddresses: [] })];
const own = nodeOf(1);

function encap(id: number, special: Partial<ChassisEncap> = {}): ChassisEncap {
  return { address: `192.0.2.${10 + id}`, type: 'geneve', owner: nodeOf(id).systemId, ...special };
}

function chassis(id: number, special: Partial<OverlayChassis> = {}, gateway = gatewayOf(id)): OverlayChassis {
  return {
    name: nodeOf(id).systemId,
    hostname: `n${id}`,
    encaps: [encap(id)],
    cmsOptions: announcement(gateway).join(),
    bridgeMappings: `${gateway.physicalNetwork}:${gateway.bridge}`,
    ...special,
  };
}

/** Returns the rows of all members, as the central node creates them. */
function rowsOf(nodes: readonly OverlayNode[], layout = modern): string {
  return JSON.stringify(planNorthbound(factsOf(emptyNorthbound().rows(), { layout, nodes })).changes);
}

const honest = [chassis(1), chassis(2), chassis(3)];
const withoutLiar = rowsOf(membersNow(modern, own, members, [chassis(1), chassis(2)]).nodes);

t.test('honest announcements are accepted', (t) => {
  const { nodes, faults } = membersNow(modern, own, members, honest);
  t.strictSame(faults, []);
  t.match(nodes, [{ gateway: null }, { gateway: { addresses: ['192.0.2.12/24'] } }, { gateway: {} }]);
  t.end();
});

t.test('a member that announces more than its certificate covers', (t) => {
  for (const [what, liar, fault] of [
    ['a name', chassis(3, { hostname: 'n2' }), /registers under the name of n2/],
    ['a full name', chassis(3, { hostname: 'n1.example.com' }), /registers under the name of n1/],
    [
      "the central node's address",
      chassis(3, { encaps: [encap(3), encap(1, { owner: nodeOf(3).systemId })] }),
      /claims the tunnel address 192\.0\.2\.11 of 0+-0000-4000-9000-0+1/,
    ],
    ["another's row", chassis(3, { encaps: [encap(3), encap(2)] }), /uses the tunnel address 192\.0\.2\.12 of/],
    [
      "another's address with another type",
      chassis(3, { encaps: [encap(3), encap(2, { type: 'vxlan', owner: nodeOf(3).systemId })] }),
      /claims the tunnel address 192\.0\.2\.12 of/,
    ],
    [
      'a text that is no address',
      chassis(3, { encaps: [encap(3), encap(3, { address: '"\u001b[2J' })] }),
      /claims ""\\u\{1b\}\[2J" as a tunnel address/,
    ],
  ] as const)
    for (const all of [
      [chassis(1), chassis(2), liar],
      [liar, chassis(2), chassis(1)],
    ]) {
      const { nodes, faults } = membersNow(modern, own, members, all);
      t.match(faults, [/^certificate 00000000-0000-4000-9000-000000000003 \(n3\) /], what);
      t.match(faults, [fault], what);
      t.match(nodes[1], { gateway: { addresses: ['192.0.2.12/24'] } }, `${what}: the gateway of n2 is unchanged`);
      t.equal(rowsOf(nodes), rowsOf(membersNow(modern, own, members, honest).nodes), `${what}: the rows are unchanged`);
    }
  t.end();
});

t.test('a host that is not a member is ignored and reported', (t) => {
  const expelled = chassis(9, { hostname: 'n2', encaps: [encap(2, { owner: nodeOf(9).systemId })] }, gatewayOf(2));
  const { nodes, faults, strangers } = membersNow(modern, own, members, [expelled, ...honest]);
  t.equal(rowsOf(nodes), rowsOf(membersNow(modern, own, members, honest).nodes));
  t.match(strangers, [/^certificate 0+-0000-4000-9000-0+9 is registered, but belongs to no member/]);
  t.match(faults, [/under the name of n2/]);
  t.equal(faults.length, 1);
  const silent = membersNow(modern, own, members, [chassis(9, { hostname: 'n9' }, gatewayOf(9)), ...honest]);
  t.match(
    silent,
    { faults: [], strangers: [/belongs to no member/] },
    'a stranger that claims no address of a member is not a fault',
  );
  t.equal(silent.faults.length, 0);
  t.end();
});

t.test('a member attracts no packets for addresses that it was not granted', (t) => {
  const attempts: readonly (readonly [string, OverlayGateway, RegExp])[] = [
    ['an address of the internet', gatewayOf(3, { addresses: ['198.51.100.1/32'] }), /--gateway 198\.51\.100\.1$/],
    ['an address of another member', gatewayOf(3, { addresses: ['192.0.2.12/24'] }), /n2 has 192\.0\.2\.12 already/],
    ['pods of another member', gatewayOf(3, { subnets: ['10.42.2.0/24'] }), /--gateway-subnets 10\.42\.2\.0\/24$/],
    [
      'its own address with a prefix length of 1',
      gatewayOf(3, { addresses: ['192.0.2.13/1'], isVip: true, mac: '0a:58:c0:00:02:0d' }),
      /n3 has 192\.0\.2\.13 already/,
    ],
  ];
  for (const [what, gateway, fault] of attempts) {
    const { nodes, faults } = membersNow(modern, own, members, [chassis(1), chassis(2), chassis(3, {}, gateway)]);
    t.match(faults, [/^certificate 0+-0000-4000-9000-0+3 \(n3\) announces a gateway that is not taken/], what);
    t.match(faults, [fault], what);
    t.equal(rowsOf(nodes), withoutLiar, `${what}: the rows are as without the gateway`);
  }
  const both = chassis(
    3,
    { encaps: [encap(3, { address: '198.51.100.1' }), encap(3)] },
    gatewayOf(3, { addresses: ['198.51.100.1/32'] }),
  );
  const { nodes, faults } = membersNow(modern, own, members, [chassis(1), chassis(2), both]);
  t.equal(rowsOf(nodes), withoutLiar, 'a second tunnel address does not change the rows');
  t.match(faults, [/has more than one tunnel address of a family/, /--gateway 198\.51\.100\.1/]);
  t.end();
});

t.test('granted addresses are accepted', (t) => {
  const gateway = gatewayOf(3, {
    addresses: ['192.0.2.13/24', '2001:db8::13/64'],
    nextHops: [],
    subnets: ['10.42.2.0/24'],
  });
  const taken = (addresses: readonly string[], subnets: readonly string[], announced: OverlayGateway) => {
    const all = [dualNode(1), dualNode(2), dualNode(3, { granted: { addresses, subnets } })];
    return membersNow(dual, dualNode(1), all, [chassis(3, {}, announced)]).nodes[2]?.gateway !== null;
  };
  t.equal(taken(['2001:db8::13'], ['10.42.2.0/24'], gateway), true);
  t.equal(
    taken(['2001:db8::13/64'], ['10.42.2.0/24'], gateway),
    true,
    'a granted address is accepted with its prefix length',
  );
  t.equal(
    taken(['2001:db8::13/48'], ['10.42.2.0/24'], gateway),
    false,
    'a granted address is refused with another prefix length',
  );
  t.equal(taken(['2001:db8::13'], [], gateway), false);
  const vip = gatewayOf(3, { addresses: ['192.0.2.100/24'], isVip: true, mac: '0a:58:c0:00:02:64' });
  t.equal(taken(['192.0.2.100'], [], vip), false, 'an address of several nodes is refused without its prefix length');
  t.equal(taken(['192.0.2.100/24'], [], vip), true);
  t.end();
});
