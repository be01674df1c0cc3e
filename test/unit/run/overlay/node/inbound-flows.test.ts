// Inbound services and peers that a node reads from the southbound database, and the file that stores them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { DirectNode } from '../../../../../agent/model/direct-node.ts';
import type { OverlayNode } from '../../../../../agent/model/overlay.ts';
import type { OverlayPeer } from '../../../../../agent/model/overlay-peer.ts';
import type { OverlayRecord } from '../../../../../agent/model/overlay-record.ts';
import type { DatabaseRows } from '../../../../../agent/model/rows.ts';
import { directNodesOf } from '../../../../../agent/overlay/direct/direct-nodes.ts';
import { publishedDirect } from '../../../../../agent/overlay/direct/published-direct.ts';
import { publishedPeers } from '../../../../../agent/overlay/peers/published-peers.ts';
import { inboundIn } from '../../../../../agent/run/overlay/node/inbound-flows.ts';
import {
  differFromStored,
  type Inbound,
  noInbound,
  rememberedDirect,
  rememberedPeers,
  rememberedPodMtu,
} from '../../../../../agent/run/overlay/node/stored-inbound.ts';
import { f5, gatewayOf, modern, nodeOf } from '../../../overlay/cluster.ts';

const west: OverlayPeer = {
  name: 'west',
  nextHops: ['192.0.2.50'],
  subnets: ['10.45.0.0/16'],
  serviceSubnets: ['10.46.0.0/16'],
};
const [one, two] = [1, 2].flatMap((id) => directNodesOf(nodeOf(id, { gateway: gatewayOf(id) }))) as [
  DirectNode,
  DirectNode,
];
const rows: DatabaseRows = {
  database: 'OVN_Southbound',
  shape: { Load_Balancer: {} },
  tables: {
    SB_Global: [
      {
        _uuid: 'root',
        external_ids: {
          ...publishedPeers([west, { ...west, nextHops: ['198.51.100.50'] }, f5]),
          ...publishedDirect([one, two]),
        },
      },
    ],
  },
};

const readBy = (special: Partial<OverlayNode>): Inbound => {
  const node = nodeOf(1, special);
  return inboundIn({ layout: modern, node, members: null, southbound: [] } as unknown as OverlayRecord, rows);
};

t.test('a node reads the peers that its gateway reaches', (t) => {
  t.strictSame(readBy({ gateway: gatewayOf(1) }).peers, [west, f5]);
  t.strictSame(readBy({}).peers, [f5], 'a node without a gateway reads only peers in VXLAN');
  t.strictSame(readBy({ gateway: gatewayOf(1, { isVip: true }) }).peers, [f5]);
  t.end();
});

t.test('a node reads its neighbours, if it is published itself', (t) => {
  t.strictSame(readBy({ gateway: gatewayOf(1) }).direct, [two]);
  t.strictSame(readBy({}).direct, []);
  t.strictSame(readBy({ gateway: gatewayOf(1, { mac: two.mac }) }).direct, []);
  t.end();
});

t.test('the stored peers, also in a file of a release without peers', (t) => {
  const places = { services: join(t.testdir(), 'services.json') };
  const store = (...lines: readonly unknown[]): void =>
    writeFileSync(places.services, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const none = noInbound;
  t.notOk(differFromStored(none, places), 'no file');
  t.ok(differFromStored({ ...none, peers: [west] }, places));
  t.strictSame(rememberedPeers(places), []);
  store([]);
  t.notOk(differFromStored(none, places));
  t.ok(differFromStored({ ...none, peers: [west] }, places));
  t.strictSame(rememberedPeers(places), []);
  store([], [west]);
  t.notOk(differFromStored({ ...none, peers: [west] }, places));
  t.ok(differFromStored(none, places));
  t.strictSame(rememberedPeers(places), [west]);
  store([], [], [two]);
  t.notOk(differFromStored({ ...none, direct: [two] }, places));
  t.ok(differFromStored(none, places));
  t.strictSame(rememberedDirect(places), [two]);
  t.equal(rememberedPodMtu(places), null);
  store([], [], [], 1500);
  t.notOk(differFromStored({ ...none, podMtuBytes: 1500 }, places));
  t.ok(differFromStored(none, places));
  t.equal(rememberedPodMtu(places), 1500);
  t.end();
});

t.test('many stored services are read completely', (t) => {
  const places = { services: join(t.testdir(), 'services.json') };
  const services = Array.from({ length: 40_000 }, (_, index) => ({
    protocol: 'tcp' as const,
    address: '192.0.2.11',
    port: 1 + index,
    target: { address: '10.43.0.80', port: 80 },
    isServedHere: false,
  }));
  const text = `${JSON.stringify(services)}\n`;
  writeFileSync(places.services, text);
  t.ok(text.length > 4 * 1024 * 1024, `${text.length} characters`);
  t.notOk(differFromStored({ ...noInbound, services }, places));
  t.ok(differFromStored({ ...noInbound, services: services.slice(1) }, places));
  t.strictSame(rememberedPeers(places), [], 'the stored text is valid JSON');
  t.end();
});
