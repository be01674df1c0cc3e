// Nodes that take part in direct routes: what they announce, which of them are neighbours, and what is published.
import t from 'tap';
import type { Encapsulation, OverlayChassis, OverlayGateway, OverlayNode } from '../../../../agent/model/overlay.ts';
import { planCentral } from '../../../../agent/overlay/cluster/central.ts';
import {
  besideNode,
  directFaults,
  directNeighbours,
  directNodes,
  directNodesOf,
  directPaths,
} from '../../../../agent/overlay/direct/direct-nodes.ts';
import {
  type DirectOnly,
  decideDirectOnly,
  obstacleSentences,
  podMtuIn,
  publishedPodMtu,
  withTunnels,
} from '../../../../agent/overlay/direct/direct-only.ts';
import { podPaths, podPathsOfMember } from '../../../../agent/overlay/direct/pod-paths.ts';
import { publishedBeside, publishedDirect } from '../../../../agent/overlay/direct/published-direct.ts';
import { sharedSettings } from '../../../../agent/overlay/local/shared-settings.ts';
import {
  announcedDirect,
  directEntries,
  directKey,
  podMtuKey,
} from '../../../../agent/overlay/members/announced-direct.ts';
import { membersNow } from '../../../../agent/overlay/members/members.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { gatewayOf, modern, nodeOf, recordedShape, seed } from '../cluster.ts';
import { ModelDatabase } from '../model-database.ts';

/** Returns a node whose packets arrive from these nodes. */
function hearing(id: number, direct: readonly string[], gateway: Partial<OverlayGateway> = {}): OverlayNode {
  return nodeOf(id, { gateway: gatewayOf(id, gateway), direct });
}

const two = { name: 'n2', address: '192.0.2.12/24', mac: '52:54:00:00:00:02', subnet: '10.42.2.0/24' };
const two6 = { ...two, address: '2001:db8::12/64', subnet: 'fd01:0:0:2::/64' };

function bothAddresses(id: number): Pick<OverlayGateway, 'addresses'> {
  return { addresses: [`192.0.2.1${id}/24`, `2001:db8::1${id}/64`] };
}

/** Returns a node with both families. */
function dualHearing(id: number, direct: readonly string[]): OverlayNode {
  const subnets = [`10.42.${id}.0/24`, `fd01:0:0:${id}::/64`];
  return nodeOf(id, { gateway: gatewayOf(id, bothAddresses(id)), direct, subnets });
}

t.test('a node takes part with a gateway that shares its address', (t) => {
  const part = (gateway: Partial<OverlayGateway>): unknown => directNodesOf(hearing(2, [], gateway));
  t.strictSame(part({}), [two]);
  t.strictSame(directNodesOf(nodeOf(2)), []);
  t.strictSame(part({ kind: 'dedicated' }), []);
  t.strictSame(part({ vlan: 7 }), []);
  t.strictSame(part({ isVip: true }), []);
  t.strictSame(part({ addresses: ['2001:db8::12/64'] }), [], 'not in a family without a subnet');
  t.strictSame(
    directNodesOf({ ...hearing(2, [], bothAddresses(2)), subnets: [two.subnet, two6.subnet] }),
    [two, two6],
    'once for each family',
  );
  const { direct: _, ...silent } = hearing(2, []);
  t.strictSame(
    directNodes(modern, [hearing(1, []), silent]).map(({ name }) => name),
    ['n1'],
  );
  t.strictSame(directNodes(seed, [hearing(1, [])]), [], 'not in the layout of 2017');
  const leading = hearing(1, [], { subnets: ['10.42.2.0/24'] });
  t.strictSame(
    directNodes(modern, [leading, hearing(2, [])]).map(({ name }) => name),
    ['n1'],
    'a node whose packets leave by another gateway does not take part',
  );
  t.end();
});

t.test('neighbours hear each other on one LAN', (t) => {
  const between = (one: OverlayNode, other: OverlayNode): readonly string[] =>
    directNeighbours(modern, [one, other], one).map(({ name }) => name);
  t.strictSame(between(hearing(1, ['n2']), hearing(2, ['n1'])), ['n2']);
  t.strictSame(between(hearing(1, ['n2']), hearing(2, [])), [], 'both directions are necessary');
  t.strictSame(between(hearing(1, []), hearing(2, ['n1'])), []);
  t.strictSame(between(hearing(1, ['n2']), hearing(2, ['n1'], { addresses: ['203.0.113.12/24'] })), []);
  t.strictSame(between(hearing(1, ['n2']), hearing(2, ['n1'], { addresses: ['192.0.2.140/25'] })), []);
  t.strictSame(between(hearing(1, ['n2']), hearing(2, ['n1'], { isUp: false })), [], 'not by a gateway that is down');
  t.strictSame(between(hearing(1, ['n2'], { isUp: false }), hearing(2, ['n1'])), []);
  t.strictSame(besideNode([two], [two, two6]), [], 'a node is not its own neighbour');
  const [one, other] = [dualHearing(1, ['n2', 'n2/ipv6']), dualHearing(2, ['n1'])];
  t.strictSame(directNeighbours(modern, [one, other], one), [two], 'each family is heard for itself');
  const both = [one, dualHearing(2, ['n1', 'n1/ipv6'])];
  t.strictSame(directNeighbours(modern, both, one), [two, two6]);
  t.strictSame(directFaults([two], ['n2']), []);
  t.match(directFaults([two6], ['n2']), [/2001:db8::12/]);
  t.match(directFaults([two], ['n3']), [/^no packet of n2 \(192\.0\.2\.12\) arrives/]);
  t.end();
});

t.test('paths', (t) => {
  const own = hearing(1, ['n2', 'n7']);
  const others = [
    hearing(2, ['n1']),
    nodeOf(3),
    nodeOf(4, { gateway: gatewayOf(4) }),
    hearing(5, ['n1'], { addresses: ['203.0.113.15/24'] }),
    hearing(6, ['n1']),
    hearing(7, ['n1'], { isUp: false }),
    hearing(8, [], { vlan: 7 }),
    hearing(9, [], { kind: 'dedicated' }),
  ];
  const found = directPaths(modern, [own, ...others], own).map(({ name, obstacle }) => `${name}: ${obstacle?.reason}`);
  t.match(found, [
    /^n2: undefined$/,
    /^n3: n3 is not a gateway$/,
    /^n4: n4 announces no direct routes/,
    /^n5: n1 \(192\.0\.2\.11\/24\) and n5 \(203\.0\.113\.15\/24\) are not on one segment/,
    /^n6: no packet of n6 arrives at n1 without a tunnel/,
    /^n7: the gateway of n7 does not answer$/,
    /^n8: the gateway of n8 is in VLAN 7$/,
    /^n9: the gateway of n9 has a NIC or an address of its own$/,
  ]);
  t.end();
});

t.test('direct routes only', (t) => {
  const decide = (setting: Encapsulation, isInEffect: boolean, ...members: readonly OverlayNode[]): DirectOnly =>
    decideDirectOnly(setting, isInEffect, modern, members);
  const [one, two, deaf] = [hearing(1, ['n2']), hearing(2, ['n1']), hearing(2, [])];
  for (const setting of ['always', 'auto'] as const)
    t.strictSame(decide(setting, true, one, deaf), withTunnels, setting);
  t.strictSame(decide('never', false, one, two), { isDirectOnly: true, obstacles: [] });
  t.strictSame(decide('never', false, one), { isDirectOnly: true, obstacles: [] }, 'a cluster of one node');
  const unheard = /no packet of n1 arrives at n2 without a tunnel/;
  t.match(decide('never', false, one, deaf), { isDirectOnly: false, obstacles: [{ reason: unheard }] });
  t.match(decide('never', true, one, deaf), { isDirectOnly: true, obstacles: [{ reason: unheard }] });
  t.match(decide('never', false, one, two, nodeOf(3)), {
    isDirectOnly: false,
    obstacles: [{ reason: 'n3 is not a gateway', remedy: /overlay gateway, on n3/ }],
  });
  t.equal(decide('never', false, one, two, nodeOf(3, { subnets: [] })).isDirectOnly, true, 'n3 has no pods');
  t.match(obstacleSentences(decide('never', false, one, deaf)), [/never has no effect.*n2 without a tunnel.*; permit/]);
  t.match(obstacleSentences(decide('never', true, one, deaf)), [/^pods do not reach each other/]);
  t.equal(podMtuIn(publishedPodMtu(1500)), 1500);
  t.strictSame(publishedPodMtu(null), {});
  for (const text of ['', 'x', '1500.5', '67', '65536', '-1']) t.equal(podMtuIn({ [podMtuKey]: text }), null, text);
  t.end();
});

t.test('announcement', (t) => {
  const entries = directEntries(['n3', 'n2']);
  t.strictSame(entries, ['microshift-net-direct', 'microshift-net-direct:n2', 'microshift-net-direct:n3']);
  t.strictSame(announcedDirect({ cmsOptions: ['other', ...entries].join() }), { direct: ['n2', 'n3'] });
  t.strictSame(announcedDirect({ cmsOptions: 'other' }), {});
  const six = 'microshift-net-direct,microshift-net-direct:n2/ipv6,microshift-net-direct:n2/ipv7';
  t.strictSame(announcedDirect({ cmsOptions: six }), { direct: ['n2/ipv6'] });
  t.strictSame(announcedDirect({ cmsOptions: 'microshift-net-direct:n2' }), {}, 'names without the entry do not count');
  t.strictSame(announcedDirect({ cmsOptions: 'microshift-net-direct,microshift-net-direct:N 2' }), { direct: [] });
  t.strictSame(directEntries(null), []);
  const there = { 'ovn-cms-options': `other,${entries.join()}` };
  t.match(sharedSettings(there, null).put, there, 'the entries stay if the neighbours are not known');
  t.strictSame(sharedSettings(there, null, { direct: null }).put, { 'ovn-cms-options': 'other' });
  const chassis = { name: nodeOf(2).systemId, hostname: 'n2', encaps: [], cmsOptions: entries.join() };
  const members = [nodeOf(1), nodeOf(2)];
  t.match(membersNow(modern, nodeOf(1), members, [chassis], true).nodes[1], { direct: ['n2', 'n3'] });
  t.equal(membersNow(modern, nodeOf(1), members, [chassis]).nodes[1]?.direct, undefined, 'not without direct routes');
  t.end();
});

t.test('paths that are shown', (t) => {
  const own = hearing(1, ['n2', 'n4']);
  const paths = directPaths(modern, [own, hearing(2, ['n1']), nodeOf(3)], own);
  const shown = (encapsulation: Encapsulation, isOnly = false): readonly string[] =>
    podPaths(paths, encapsulation, isOnly).map(
      ({ node, family, way, reason }) => `${node} ${family} ${way}: ${reason}`,
    );
  const reason = 'overlay.encapsulation is always';
  t.strictSame(shown('always'), [`n2 ipv4 tunnel: ${reason}`, `n3 ipv4 tunnel: ${reason}`]);
  t.strictSame(shown('auto'), ['n2 ipv4 direct: null', 'n3 ipv4 tunnel: n3 is not a gateway']);
  t.strictSame(shown('never', true), ['n2 ipv4 direct: null', 'n3 ipv4 none: n3 is not a gateway']);
  const chassisOf = (id: number, cmsOptions: string): OverlayChassis => ({
    ...{ name: nodeOf(id).systemId, hostname: `n${id}`, encaps: [], cmsOptions },
  });
  const published = publishedDirect(directNodes(modern, [own, hearing(2, []), hearing(4, [])]));
  const chassis = [
    chassisOf(4, directEntries([]).join()),
    chassisOf(1, ''),
    chassisOf(2, directEntries(['n1']).join()),
    chassisOf(3, ''),
  ];
  const facts = { node: own, heard: ['n2', 'n4'], encapsulation: 'auto', published, chassis } as const;
  const seen = (change: object = {}): readonly string[] =>
    podPathsOfMember({ ...facts, ...change }).map(({ node, way, reason }) => `${node} ${way}: ${reason}`);
  t.match(seen(), [
    /^n2 direct: null$/,
    /^n3 tunnel: n3 takes no part in direct routes on this segment; /,
    /^n4 tunnel: no packet of n1 arrives at n4 without a tunnel/,
  ]);
  t.match(seen({ heard: [] })[0], /^n2 tunnel: no packet of n2 arrives at n1/);
  t.match(seen({ published: { ...published, ...publishedPodMtu(1500) } }), [/^n2 direct/, /^n3 none/, /^n4 none/]);
  t.match(seen({ node: nodeOf(1) })[0], /^n2 tunnel: the gateway of n1 permits no direct routes/);
  t.match(seen({ encapsulation: 'always' })[0], /^n2 tunnel: overlay.encapsulation is always/);
  t.end();
});

t.test('publication', (t) => {
  const own = { name: 'n1', address: '192.0.2.11/24', mac: '52:54:00:00:00:01', subnet: '10.42.1.0/24' };
  const published = publishedDirect([own, two]);
  t.strictSame(publishedBeside([own], published), [two]);
  t.strictSame(publishedBeside([], published), []);
  t.strictSame(publishedBeside([{ ...own, mac: two.mac }], published), [], 'not before the own values are published');
  const own6 = { ...own, address: '2001:db8::11/64', subnet: 'fd01:0:0:1::/64' };
  t.strictSame(publishedBeside([own, own6], publishedDirect([own, own6, two, two6])), [two, two6]);
  t.strictSame(publishedBeside([own, own6], publishedDirect([own, two, two6])), [two]);
  t.strictSame(publishedDirect([]), {});
  for (const text of [
    'x',
    '{}',
    JSON.stringify([own, { ...two, mac: 'x' }]),
    JSON.stringify([own, null]),
    JSON.stringify([own, { ...two, subnet: two6.subnet }]),
  ])
    t.strictSame(publishedBeside([own], { [directKey]: text }), [], text.slice(0, 40));
  const database = new ModelDatabase('OVN_Southbound', recordedShape('OVN_Southbound 23.03'));
  database.transact([{ op: 'insert', table: 'SB_Global', row: {}, 'uuid-name': 'root' }]);
  const idsAfter = (ids: Readonly<Record<string, string>>): unknown => {
    const rows = database.rows();
    const facts = { owner: 'microshift-net', connections: [], tls: null, published: ids, rows };
    database.transact(operationsOf(planCentral(facts), rows.shape));
    return database.rows().tables.SB_Global?.[0]?.external_ids;
  };
  t.match(idsAfter(published), published);
  t.notHas(idsAfter({}), { [directKey]: /./ }, 'the last node leaves nothing');
  t.end();
});
