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
  return { holders: { [port]: node.systemId }, unreached: unreached.map(({ systemId }) => systemId), unconfirmed: [] };
}

/** Rows of Gateway_Chassis: the node with the highest priority, and the number with which it took over, if any. */
interface Present {
  readonly leader: OverlayNode | null;
  readonly askedAtMove?: number | null;
}

/** Last requested number in all tests; each test says which nodes have answered it. */
const asked = 7;

/** Returns the order, and the rows after it has been written. */
function step(
  nodes: readonly OverlayNode[],
  { leader, askedAtMove = null }: Present,
  state: SharedAddresses | null,
  centralNode: string,
): { readonly text: string; readonly after: Present } {
  const priorityOf = (node: OverlayNode): number | null =>
    leader === null ? null : node.id === leader.id ? 32_767 : node.name === centralNode ? 0 : 32_767 - node.id;
  const order = vipOrder({ nodes, centralNode, port, priorityOf, asked, askedAtMove, state });
  const after = { leader: order.nodes[0] ?? null, askedAtMove: order.askedAtMove };
  const text = order.nodes.map(({ name }) => name).join(' ');
  return { text: order.askedAtMove === null ? text : `${text}, after ${order.askedAtMove}`, after };
}

/** Returns the names in the order of preference, in a cluster whose central node does not share the address. */
function order(
  nodes: readonly OverlayNode[],
  leader: OverlayNode | null,
  state: SharedAddresses | null = null,
): string {
  return step(nodes, { leader }, state, 'n9').text;
}

/** Returns the names in the order of preference, and the number after which others have to answer; n1 is central. */
function withCentral(
  nodes: readonly OverlayNode[],
  leader: OverlayNode | null,
  state: SharedAddresses | null = null,
  askedAtMove: number | null = null,
): string {
  return step(nodes, { leader, askedAtMove }, state, 'n1').text;
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
  t.equal(
    order([one, two, three], one, { holders: {}, unreached: [one.systemId], unconfirmed: [] }),
    'n1 n2 n3',
    'no node has it',
  );
  t.equal(order([one, two, three], one, claimedBy(two, one, two)), 'n1 n2 n3', 'the central node reaches none of them');
  t.equal(order([one, shared(2, false)], one, claimedBy(two, one)), 'n1 n2', 'n2 does not answer');
  t.equal(order([one, two], one, claimedBy(nodeOf(7), one)), 'n1 n2', 'a node without the address claims the port');
  t.end();
});

t.test('the central node is last while another node works', (t) => {
  t.equal(withCentral([one, two, three], null), 'n2 n3 n1', 'a new address');
  t.equal(withCentral([one], null), 'n1', 'only the central node has the address');
  t.equal(withCentral([one], one, claimedBy(one)), 'n1');
  t.equal(withCentral([one, two, three], one, claimedBy(one)), 'n2 n3 n1', 'rows of an earlier version');
  t.equal(withCentral([one, two, three], one, claimedBy(three)), 'n3 n2 n1', 'n3 has the address already');
  t.equal(withCentral([one, shared(2, false), three], one, claimedBy(one)), 'n3 n2 n1', 'n2 does not answer');
  t.equal(withCentral([one, two, three], one, claimedBy(one, two)), 'n3 n2 n1', 'n2 is not reached');
  t.equal(withCentral([one, two, three], two, claimedBy(three, two)), 'n3 n2 n1', 'n2 has failed');
  t.equal(withCentral([shared(1, false), two], two, claimedBy(two)), 'n2 n1', 'the central node has failed');
  t.equal(withCentral([one, two, three], one, null), 'n1 n2 n3', 'without facts, nothing changes');
  t.end();
});

t.test('the central node is first if it has taken over and no other node works', (t) => {
  t.equal(withCentral([one, two, three], two, claimedBy(one, two, three)), 'n1 n2 n3, after 7');
  t.equal(withCentral([one, shared(2, false)], two, claimedBy(one)), 'n1 n2, after 7', 'n2 does not answer');
  t.equal(withCentral([one, two, three], two, claimedBy(one, two)), 'n2 n3 n1', 'n3 works and will take over');
  t.equal(withCentral([one, two, three], two, claimedBy(two, two, three)), 'n2 n3 n1', 'n1 has not taken over');
  t.equal(withCentral([one, two], one, claimedBy(one, two), 4), 'n1 n2, after 4', 'the number stays');
  t.equal(withCentral([one, two], one, null, 4), 'n1 n2, after 4', 'also without facts');
  t.end();
});

t.test('another node replaces the central node when it works and has answered since', (t) => {
  const answered = (...numbers: readonly number[]): SharedAddresses => ({
    ...claimedBy(one),
    answers: Object.fromEntries(numbers.map((number, index) => [nodeOf(index + 2).systemId, number])),
  });
  t.equal(withCentral([one, two, three], one, answered(4, 4), 4), 'n1 n2 n3, after 4', 'BFD is up, without an answer');
  t.equal(withCentral([one, two, three], one, answered(4, 5), 4), 'n3 n2 n1', 'n3 has answered');
  t.equal(withCentral([one, two, three], one, answered(5, 5), 4), 'n2 n3 n1', 'both have answered');
  t.equal(withCentral([one, two], one, answered(), 4), 'n1 n2, after 4', 'n2 is not registered');
  const unreached = { ...answered(5), unreached: [two.systemId] };
  t.equal(withCentral([one, two], one, unreached, 4), 'n1 n2, after 4', 'n2 has answered, and its tunnel is down');
  const half = { ...answered(5, 5), unconfirmed: [two.systemId] };
  t.equal(withCentral([one, two, three], one, half, 4), 'n3 n2 n1', 'the session of n2 is up at one end only');
  t.equal(withCentral([one, two], two, { ...half, ...claimedBy(one), unconfirmed: [two.systemId] }), 'n2 n1');
  t.equal(withCentral([one, two], one, answered(3), 9), 'n2 n1', 'the number is of an earlier database');
  t.equal(withCentral([one, two], one, claimedBy(one), 4), 'n2 n1', 'OVN before 20.09 reports no answers');
  t.end();
});

t.test('after each decision, the same facts lead to the same order', (t) => {
  const all = [one, two, three];
  for (const nodes of [all, [one, two], [shared(1, false), two, three], [one, shared(2, false), shared(3, false)]])
    for (const leader of [null, ...nodes])
      for (const holder of [...nodes, nodeOf(7)])
        for (const unreached of [[], [one], [two], [three], [two, three], all])
          for (const answers of [undefined, {}, { [two.systemId]: 5 }, { [two.systemId]: 3, [three.systemId]: 9 }])
            for (const askedAtMove of [null, 4])
              for (const central of ['n1', 'n2', 'n9']) {
                const state = { ...claimedBy(holder, ...unreached), ...(answers !== undefined && { answers }) };
                const first = step(nodes, { leader, askedAtMove }, state, central);
                const second = step(nodes, first.after, state, central);
                if (second.text !== first.text) t.fail(`${first.text}, and then ${second.text}`, { state, central });
              }
  t.end();
});

t.test('two nodes that do not reach each other claim the port in turn, and the order stays', (t) => {
  let rows: Present = { leader: two };
  for (const claim of [claimedBy(three), claimedBy(two), claimedBy(three)]) {
    const { text, after } = step([one, two, three], rows, claim, 'n1');
    t.equal(text, 'n2 n3 n1');
    rows = after;
  }
  // The central node and n2 do not reach each other, but n3, which does not share the address, reaches both.
  rows = { leader: two };
  const texts = [claimedBy(two, two), claimedBy(one, two), claimedBy(two, two), claimedBy(one, two)].map((claim) => {
    const { text, after } = step([one, two], rows, claim, 'n1');
    rows = after;
    return text;
  });
  t.strictSame(texts, ['n2 n1', 'n1 n2, after 7', 'n1 n2, after 7', 'n1 n2, after 7']);
  t.end();
});

t.test('a false claim moves no address of a node that works', (t) => {
  t.equal(withCentral([one, two, three], two, claimedBy(one)), 'n2 n3 n1', 'in the name of the central node');
  t.equal(withCentral([one, two, three], two, claimedBy(three)), 'n2 n3 n1', 'in its own name');
  t.equal(withCentral([one, two, three], two, claimedBy(one, two)), 'n2 n3 n1', 'after a failure, while n3 works');
  t.equal(
    withCentral([one, two], two, claimedBy(nodeOf(7), two)),
    'n2 n1',
    'by a node that does not share the address',
  );
  t.end();
});

t.test('a session that fails again and again moves the address once per answer', (t) => {
  const down = claimedBy(one, two);
  const up = (answer: number): SharedAddresses => ({ ...claimedBy(one), answers: { [two.systemId]: answer } });
  let rows: Present = { leader: two };
  const texts = [down, up(7), down, up(7), down, up(8), { ...claimedBy(two), answers: {} }].map((state) => {
    const { text, after } = step([one, two], rows, state, 'n1');
    rows = after;
    return text;
  });
  const held = 'n1 n2, after 7';
  t.strictSame(texts, [held, held, held, held, held, 'n2 n1', 'n2 n1']);
  t.end();
});
