import t from 'tap';
import type { OverlayNode, SharedAddresses } from '../../../../agent/model/overlay.ts';
import { vipOrder } from '../../../../agent/overlay/gateway/vip-order.ts';
import { gatewayOf, nodeOf } from '../cluster.ts';

const port = 'rtoe-vip_192.0.2.100';

/** Returns a node of the VIP; a node that is down does not answer the central node. */
function shared(id: number, isUp = true): OverlayNode {
  return nodeOf(id, { gateway: gatewayOf(id, { isVip: true, addresses: ['192.0.2.100/24'], isUp }) });
}

const [one, two, three] = [shared(1), shared(2), shared(3)];

/** Returns the state in which a node has claimed the address, and the tunnels to other nodes are down. */
function claimedBy(node: OverlayNode, ...unreached: readonly OverlayNode[]): SharedAddresses {
  return { holders: { [port]: node.systemId }, unreached: unreached.map(({ systemId }) => systemId) };
}

/** Returns the names in the order of preference. `leader` has the highest priority now. */
function order(nodes: readonly OverlayNode[], leader: OverlayNode | null, state?: SharedAddresses): string {
  const priorityOf = ({ id }: OverlayNode): number | null =>
    leader === null ? null : id === leader.id ? 32_767 : 32_767 - id;
  return vipOrder(nodes, port, priorityOf, state)
    .nodes.map(({ name }) => name)
    .join(' ');
}

t.test('the first node stays first while it works', (t) => {
  t.equal(order([one, two, three], null), 'n1 n2 n3', 'a new address: by number');
  t.equal(order([one, two, three], two), 'n2 n1 n3', 'without facts, nothing changes');
  t.equal(order([one, two, three], two, claimedBy(two)), 'n2 n1 n3', 'n1 has returned');
  t.equal(order([one, two, three], two, claimedBy(one)), 'n2 n1 n3', 'n1 claims the port of a node that works');
  t.equal(order([one, two, three], two, claimedBy(one, three)), 'n2 n1 n3', 'another node has failed');
  t.end();
});

t.test('after a failure, the node that has taken over is first', (t) => {
  t.equal(order([one, two, three], one, claimedBy(two, one)), 'n2 n1 n3', 'the tunnel to n1 is down');
  t.equal(order([shared(1, false), two, three], one, claimedBy(three)), 'n3 n1 n2', 'n1 does not answer');
  t.equal(order([one, two, three], two, claimedBy(one, two)), 'n1 n2 n3', 'n2 fails after n1');
  t.equal(order([two, three], one, claimedBy(three)), 'n2 n3', 'n1 has left, and n2 had the next priority');
  t.end();
});

t.test('the order stays while no working node has taken over', (t) => {
  t.equal(order([one, two, three], one, claimedBy(one, one)), 'n1 n2 n3', 'n1 still has the port');
  t.equal(order([one, two, three], one, { holders: {}, unreached: [one.systemId] }), 'n1 n2 n3', 'no node has it');
  t.equal(order([one, two, three], one, claimedBy(two, one, two)), 'n1 n2 n3', 'the central node reaches none of them');
  t.equal(order([one, shared(2, false)], one, claimedBy(two, one)), 'n1 n2', 'n2 does not answer');
  t.equal(order([one, two], one, claimedBy(nodeOf(7), one)), 'n1 n2', 'a node without the address claims the port');
  t.end();
});

t.test('after each decision, the same facts lead to the same order', (t) => {
  for (const state of [claimedBy(two, one), claimedBy(one, two), claimedBy(two), claimedBy(one, one, two)]) {
    const nodes = [one, two, three];
    const [leader = one] = vipOrder(nodes, port, ({ id }) => 32_767 - id, state).nodes;
    t.equal(order(nodes, leader, state).slice(0, 2), leader.name);
  }
  t.end();
});
