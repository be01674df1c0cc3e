// Invariants of the addresses of pods under random events in random order.
import t from 'tap';
import type { OverlayNode } from '../../../../agent/model/overlay.ts';
import type { Pod } from '../../../../agent/model/workload.ts';
import { withoutLength } from '../../../../agent/overlay/addresses.ts';
import { podSubnets, rangeWith } from '../../../../agent/workload/pods/subnets.ts';
import { nodeOf } from '../../overlay/cluster.ts';
import { seededRandom } from '../../ovsdb/random.ts';
import { annotated, asking, openBook, podOf } from './paper-pods.ts';

type Random = ReturnType<typeof seededRandom>;

const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;

const lives = 75;

/** Returns two nodes whose subnets are so small that addresses run out. */
function nodesOf(random: Random): OverlayNode[] {
  return [1, 2].map((id) => {
    const four = `10.42.${id}.0/${27 + random(3)}`;
    const six = `fd01:0:0:${id}::/64`;
    return nodeOf(id, { subnets: pick(random, [[four], [six], [four, six]]) });
  });
}

function anyAddress(random: Random): string {
  const id = 1 + random(3);
  return pick(random, [`10.42.${id}.${random(10)}`, `fd01:0:0:${id}::${random(10)}`]);
}

t.test(`${lives} lives of a cluster`, (t) => {
  for (let seed = 1; seed <= lives; seed++) {
    const random = seededRandom(seed);
    let nodes = nodesOf(random);
    const reported = openBook(nodes);
    const pods = new Map<string, Pod>();
    for (let step = 0; step < 40; step++) {
      const batch: Pod[] = [];
      const gone: string[] = [];
      for (let count = random(5); count > 0; count--) {
        const name = `p${random(15)}`;
        const key = `default/${name}`;
        if (random(3) === 0 && pods.has(key) && !batch.some((pod) => pod.name === name)) {
          pods.delete(key);
          gone.push(key);
          continue;
        }
        if (gone.includes(key)) continue;
        const pod = podOf(name, {
          uid: `${name}-${random(2)}`,
          nodeName: pick(random, ['n1', 'n2', 'n2', null]),
          isOver: random(10) === 0,
          isHostNetwork: random(10) === 0,
          ...pick(random, [
            {},
            {},
            asking(anyAddress(random)),
            asking('soon'),
            annotated(nodeOf(1), `${anyAddress(random)}/24`),
          ]),
        });
        pods.set(key, pod);
        batch.push(pod);
      }
      if (random(10) === 0) nodes = pick(random, [nodesOf(random), nodes.slice(0, 1), nodes]);
      const before = new Map(reported.book.addresses);
      const { changed } = reported.tell({ nodes, pods: batch, gone });
      holds(seed, nodes, pods, reported.book.addresses);
      for (const key of new Set([...before.keys(), ...reported.book.addresses.keys()]))
        if ((String(before.get(key)) !== String(reported.book.addresses.get(key))) !== changed.includes(key))
          t.fail(`seed ${seed}: ${key} has changed and is not reported, or the reverse`);
    }
    restartIsEqual(seed, nodes, pods, reported.book.addresses);
  }
  t.end();

  function holds(
    seed: number,
    nodes: readonly OverlayNode[],
    pods: ReadonlyMap<string, Pod>,
    addresses: ReadonlyMap<string, readonly string[]>,
  ): void {
    const all = [...addresses.values()].flat().map(withoutLength);
    if (new Set(all).size !== all.length) t.fail(`seed ${seed}: two pods have one address: ${all.join(' ')}`);
    for (const [key, pod] of pods) {
      const node = nodes.find(({ name }) => name === pod.nodeName);
      const has = (addresses.get(key) ?? []).map(withoutLength);
      if (node === undefined || pod.isOver || pod.isHostNetwork) {
        if (has.length > 0) t.fail(`seed ${seed}: ${key} has ${has.join(' ')} and may not`);
        continue;
      }
      const subnets = podSubnets(node);
      const wrong = has.filter((address) => rangeWith(subnets, address)?.isUsable !== true);
      if (wrong.length > 0) t.fail(`seed ${seed}: ${key} has ${wrong.join(' ')} on ${node.subnets.join(' ')}`);
      if (has.length > 0 && has.length !== subnets.ranges.length)
        t.fail(`seed ${seed}: ${key} has ${has.join(' ')} only`);
    }
    for (const key of addresses.keys())
      if (!pods.has(key)) t.fail(`seed ${seed}: ${key} was deleted and still has an address`);
  }

  function restartIsEqual(
    seed: number,
    nodes: readonly OverlayNode[],
    pods: ReadonlyMap<string, Pod>,
    addresses: ReadonlyMap<string, readonly string[]>,
  ): void {
    const after = (forget: boolean): Map<string, string> => {
      const reported = openBook(nodes);
      const known = [...pods].map(([key, pod]) => {
        const node = nodes.find(({ name }) => name === pod.nodeName);
        const has = addresses.get(key);
        if (forget || has === undefined || node === undefined) return { ...pod, annotations: {} };
        return { ...pod, ...annotated(node, ...has) };
      });
      const withAddress = known.filter((pod) => addresses.has(`default/${pod.name}`));
      const rows = (key: string): readonly string[] => (forget ? (addresses.get(key) ?? []).map(withoutLength) : []);
      reported.tell({ nodes, pods: withAddress, addressesOfRow: rows });
      return new Map(Array.from(reported.book.addresses, ([key, list]) => [key, list.join(' ')]));
    };
    const expected = new Map(Array.from(addresses, ([key, list]) => [key, list.join(' ')]));
    for (const forget of [false, true])
      t.strictSame(
        after(forget),
        expected,
        `seed ${seed}: after a restart with ${forget ? 'rows' : 'annotations'} only`,
      );
  }
});
