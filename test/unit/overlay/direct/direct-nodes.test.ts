// Nodes that take part in direct routes: what they announce, which of them are neighbours, and what is published.
import t from 'tap';
import type { OverlayGateway, OverlayNode } from '../../../../agent/model/overlay.ts';
import { planCentral } from '../../../../agent/overlay/cluster/central.ts';
import {
  besideNode,
  directFaults,
  directNeighbours,
  directNodeOf,
  directNodes,
} from '../../../../agent/overlay/direct/direct-nodes.ts';
import { publishedBeside, publishedDirect } from '../../../../agent/overlay/direct/published-direct.ts';
import { sharedSettings } from '../../../../agent/overlay/local/shared-settings.ts';
import { announcedDirect, directEntries, directKey } from '../../../../agent/overlay/members/announced-direct.ts';
import { membersNow } from '../../../../agent/overlay/members/members.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { gatewayOf, modern, nodeOf, recordedShape, seed } from '../cluster.ts';
import { ModelDatabase } from '../model-database.ts';

/** Returns a node whose packets arrive from these nodes. */
function hearing(id: number, direct: readonly string[], gateway: Partial<OverlayGateway> = {}): OverlayNode {
  return nodeOf(id, { gateway: gatewayOf(id, gateway), direct });
}

const two = { name: 'n2', address: '192.0.2.12/24', mac: '52:54:00:00:00:02', subnet: '10.42.2.0/24' };

t.test('a node takes part with a gateway that shares its address', (t) => {
  const part = (gateway: Partial<OverlayGateway>): unknown => directNodeOf(hearing(2, [], gateway));
  t.strictSame(part({}), two);
  t.equal(directNodeOf(nodeOf(2)), null);
  t.equal(part({ kind: 'dedicated' }), null);
  t.equal(part({ vlan: 7 }), null);
  t.equal(part({ isVip: true }), null);
  t.equal(part({ addresses: ['2001:db8::12/64'] }), null);
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
  t.strictSame(besideNode(two, [two]), [], 'a node is not its own neighbour');
  t.strictSame(directFaults([two], ['n2']), []);
  t.match(directFaults([two], ['n3']), [/^no packet of n2 \(192\.0\.2\.12\) arrives/]);
  t.end();
});

t.test('announcement', (t) => {
  const entries = directEntries(['n3', 'n2']);
  t.strictSame(entries, ['microshift-net-direct', 'microshift-net-direct:n2', 'microshift-net-direct:n3']);
  t.strictSame(announcedDirect({ cmsOptions: ['other', ...entries].join() }), { direct: ['n2', 'n3'] });
  t.strictSame(announcedDirect({ cmsOptions: 'other' }), {});
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

t.test('publication', (t) => {
  const own = { name: 'n1', address: '192.0.2.11/24', mac: '52:54:00:00:00:01', subnet: '10.42.1.0/24' };
  const published = publishedDirect([own, two]);
  t.strictSame(publishedBeside(own, published), [two]);
  t.strictSame(publishedBeside(null, published), []);
  t.strictSame(publishedBeside({ ...own, mac: two.mac }, published), [], 'not before the own values are published');
  t.strictSame(publishedDirect([]), {});
  for (const text of ['x', '{}', JSON.stringify([own, { ...two, mac: 'x' }]), JSON.stringify([own, null])])
    t.strictSame(publishedBeside(own, { [directKey]: text }), [], text.slice(0, 40));
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
