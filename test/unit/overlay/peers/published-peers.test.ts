import t from 'tap';
import { isPeerName, isSamePeer, type OverlayPeer } from '../../../../agent/model/overlay-peer.ts';
import { planCentral } from '../../../../agent/overlay/cluster/central.ts';
import { peersIn, peersKey, publishedPeers } from '../../../../agent/overlay/peers/published-peers.ts';
import { operationsOf } from '../../../../agent/overlay/rows/row-operations.ts';
import { recordFault } from '../../../../agent/run/overlay/record/record-form.ts';
import { f5, modern, nodeOf, recordedShape, west } from '../cluster.ts';
import { ModelDatabase } from '../model-database.ts';

t.test('members read the peers that the central node publishes', (t) => {
  t.strictSame(peersIn(publishedPeers([west])), [west]);
  t.strictSame(peersIn(publishedPeers([west, f5])), [west, f5], 'also in VXLAN');
  t.strictSame(publishedPeers([]), {});
  t.strictSame(peersIn({}), []);
  t.end();
});

t.test('a text that is not a list of peers counts as no peers', (t) => {
  for (const value of [
    'x',
    '{}',
    JSON.stringify([{ ...west, name: 'West!' }]),
    JSON.stringify([{ ...west, nextHops: ['router'] }]),
    JSON.stringify([{ ...west, subnets: ['10.45.0.1/16'] }]),
    JSON.stringify([{ ...west, subnets: Array.from({ length: 17 }, () => '10.45.0.0/16') }]),
    JSON.stringify([west, null]),
    JSON.stringify([{ ...f5, vtep: { ...f5.vtep, address: '2001:db8::9' } }]),
    JSON.stringify([{ ...f5, vtep: { ...f5.vtep, vni: 16_777_216 } }]),
    JSON.stringify([{ ...f5, vtep: { ...f5.vtep, mac: 'x' } }]),
    JSON.stringify([{ ...f5, vtep: null }]),
    JSON.stringify([{ ...f5, subnets: ['fd60::/64'] }]),
    JSON.stringify([{ ...f5, nextHops: ['192.0.2.50'] }]),
    JSON.stringify(Array.from({ length: 33 }, () => west)),
  ])
    t.strictSame(peersIn({ [peersKey]: value }), [], value.slice(0, 60));
  t.end();
});

t.test('the last peer leaves nothing in SB_Global, where other keys stay', (t) => {
  const made = new ModelDatabase('OVN_Southbound', recordedShape('OVN_Southbound 23.03'));
  made.transact([
    { op: 'insert', table: 'SB_Global', row: { external_ids: ['map', [['a', 'b']]] }, 'uuid-name': 'root' },
  ]);
  const apply = (peers: readonly OverlayPeer[]): unknown => {
    const rows = made.rows();
    const facts = { owner: 'microshift-net', connections: [], tls: null, published: publishedPeers(peers), rows };
    made.transact(operationsOf(planCentral(facts), rows.shape));
    return made.rows().tables.SB_Global?.[0]?.external_ids;
  };
  t.match(JSON.stringify(apply([west])), /microshift-net-peers/);
  t.notMatch(JSON.stringify(apply([])), /peers/);
  t.match(JSON.stringify(apply([])), /"a"/);
  t.end();
});

t.test('a record keeps peers, and an invalid list makes it unusable', (t) => {
  const node = nodeOf(1);
  const record = { format: 1, layout: modern, southbound: ['ssl:192.0.2.11:6642'], node, members: [node] };
  t.equal(recordFault(record), null);
  t.equal(recordFault({ ...record, peers: [west] }), null);
  t.equal(recordFault({ ...record, peers: [{ ...west, subnets: ['x'] }] }), 'peers is not usable');
  t.end();
});

t.test('names, and peers that are the same', (t) => {
  for (const name of ['west', 'w', 'west-2']) t.ok(isPeerName(name), name);
  for (const name of ['', 'West', '-w', 'w-', 'a.b', 'a'.repeat(64)]) t.notOk(isPeerName(name), name);
  t.ok(isSamePeer(west, { ...west, subnets: west.subnets.toReversed() }));
  t.notOk(isSamePeer(west, { ...west, nextHops: ['192.0.2.50'] }));
  t.ok(isSamePeer(f5, { ...f5, vtep: { ...f5.vtep } }));
  for (const other of [{ address: '192.0.2.10' }, { vni: 1 }, { mac: '02:00:00:00:00:05' }])
    t.notOk(isSamePeer(f5, { ...f5, vtep: { ...f5.vtep, ...other } }));
  t.end();
});
