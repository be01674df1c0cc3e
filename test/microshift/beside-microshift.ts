// Properties of a node with a real MicroShift during all actions of the agent: MicroShift's processes stay the same,
// and its API answers at every address at which the cluster and the LAN use it.
import type { Test } from 'tap';
import { otherAddresses } from '../node/found-address.ts';
import { measuredSettleMs, type TestNode } from '../node/node.ts';
import { lostDefaultRoutes, recordedNews, recordNews } from '../node/recorded-news.ts';
import { apiAnswers, bootMicroShift, endsWithin, lastWords, processesOf, startMicroShift } from './microshift-node.ts';
import type { MicroShiftShape } from './microshift-shapes.ts';

/** Number of restarts of NetworkManager. */
export const restarts = Number(process.env.MICROSHIFT_NET_RESTARTS ?? 1);
/** Seconds for which MicroShift is observed after its first start. */
export const firstWatchS = Number(process.env.MICROSHIFT_NET_WATCH_S ?? 15);
/** Seconds for which MicroShift is observed at other times: it looks for the node's address every 5 s. */
const watchS = 15;

/** Command that ends as soon as the node is in the desired state, or fails after a minute. */
export const untilWanted = "timeout 60 sh -c 'until microshift-net verify > /dev/null; do sleep 0.2; done'";
/** Command that changes the MTU of the NIC's profile, so that the bridge has to be built again. */
export const useMtu = (mtu: number): string =>
  `nmcli connection modify eth0 802-3-ethernet.mtu ${mtu} && nmcli device reapply eth0 > /dev/null`;

/** Runs all phases in the life of a node of this shape. */
export async function besideMicroShift(t: Test, shape: MicroShiftShape): Promise<void> {
  const node = await bootMicroShift(shape);
  t.teardown(() => node.halt());
  t.comment(`${shape.name}: ready after ${Math.round(await startMicroShift(node))} ms`);
  await node.text('systemctl enable microshift');
  const { holds, answers } = await watch(t, node, shape);

  await t.test('MicroShift keeps running', async (t) => {
    t.equal(await endsWithin(node, firstWatchS), null, `MicroShift goes on for ${firstWatchS} s`);
    await answers(t);
  });
  for (let count = 1; count <= restarts; count++)
    await t.test(`restart ${count} of NetworkManager`, (t) =>
      holds(t, `systemctl restart NetworkManager; ${untilWanted}`),
    );
  await t.test('apply with nothing to do', (t) => holds(t, 'microshift-net apply'));
  if (!shape.isWithoutUplink) {
    await node.text(useMtu(1400));
    await t.test('the bridge is built again', (t) => holds(t, 'microshift-net apply'));
    t.match(await node.text('ip link show br-ex'), /mtu 1400/);
    // As soon as br-ex announces its larger MTU again, the LAN sends packets that a NIC with an MTU of 1400 refuses.
    await node.text(useMtu(1500));
    await t.test('undo', (t) => holds(t, 'microshift-net undo'));
    t.match(await node.text('ip link show br-ex'), /mtu 1500/);
  }
  await t.test('disable', (t) => holds(t, 'microshift-net disable'));
  await t.test('MicroShift keeps running without the agent', async (t) => {
    t.equal(await endsWithin(node, watchS), null, `MicroShift goes on for ${watchS} s`);
    await answers(t);
  });
  await t.test('apply', (t) => holds(t, 'microshift-net apply'));
  await t.test('reboot', async (t) => {
    await node.reboot();
    t.comment(`reboot: ready after ${Math.round(await startMicroShift(node))} ms`);
    t.equal((await node.run('microshift-net verify')).exitCode, 0, 'the node is in the desired state');
    await answers(t);
    t.equal(await endsWithin(node, watchS), null, `MicroShift goes on for ${watchS} s`);
    t.notMatch(
      await node.journal('microshift-ovs-init'),
      'for a default route',
      'the agent remembers the NIC, and does not wait for a default route',
    );
  });
}

export interface Watched {
  /**
   * Runs a command, which must succeed, and asserts that MicroShift has not noticed it and that no address family was
   * without a default route. Prints the silence of each address.
   */
  holds(t: Test, command: string): Promise<void>;
  /** Asserts that the API answers at all addresses, and that the node has its own address in the cluster. */
  answers(t: Test): Promise<void>;
}

/** Records the identity of MicroShift's processes, and asserts that its API answers. */
export async function watch(t: Test, node: TestNode, shape: MicroShiftShape): Promise<Watched> {
  const answers = async (t: Test): Promise<void> => {
    const here = await apiAnswers(node, [...shape.advertised, ...shape.own]);
    const fromLan = await apiAnswers(node, shape.own, 'LAN');
    for (const { address, status, error, nodes } of [...here, ...fromLan]) {
      t.equal(status, 200, `the API answers at ${address}${error === undefined ? '' : `: ${error}`}`);
      if (nodes)
        t.strictSame(
          nodes.map(({ addresses }) => addresses),
          [[...shape.own]],
          "the node's InternalIP",
        );
    }
  };
  const processes = await processesOf(node);
  t.match(processes, /microshift \d+ \d+\nmicroshift-etcd \d+ \d+\nActiveState=active\nNRestarts=0$/m);
  await t.test('the API answers', answers);
  const holds = async (t: Test, command: string): Promise<void> => {
    await recordNews(node);
    const run = await node.measure(command, { settleMs: measuredSettleMs });
    const recorded = await recordedNews(node);
    t.strictSame(lostDefaultRoutes(recorded), [], 'every address family always has a default route');
    t.strictSame(otherAddresses(recorded), [], 'MicroShift finds the same IPv4 address at every moment');
    t.equal(run.exitCode, 0, `${command}: ${run.stderr}${run.stdout}`);
    t.comment(`${shape.name}: ${command}: away ${JSON.stringify(run.outageMs)}`);
    t.not(run.recoveredAfterMs, null, 'the LAN reaches the node');
    await answers(t);
    const now = await processesOf(node);
    t.equal(
      now,
      processes,
      `no process of MicroShift was restarted${now === processes ? '' : `: ${await lastWords(node)}`}`,
    );
  };
  return { holds, answers };
}
