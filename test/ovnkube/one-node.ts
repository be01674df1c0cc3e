// Runs the rendered manifests on one node: the containers of the applied daemonsets with Debian's OVN, and with a real
// ovnkube if this machine has one.
import type { Test } from 'tap';
import { auditLogPath } from '../cluster/api-in-node.ts';
import { allowed, forbidden } from '../cluster/audit.ts';
import type { TestNode } from '../node/node.ts';
import { bootCluster, type ClusterOptions } from './ovnkube-node.ts';
import { ovnkubeFolder, ovnkubeSkip } from './ovnkube-skip.ts';
import { bridgeRow, containersOf, untilReady, untilReadyAgain } from './running-pods.ts';
import { brokenConnections, createWorkload, plugPods } from './workload.ts';

/** Shell text that writes the settings for which ovn-controller waits, as ovnkube does. */
const asOvnkubeDoes = `ovs-vsctl set open . external_ids:ovn-remote=unix:/run/ovn/ovnsb_db.sock external_ids:system-id=node \
  external_ids:ovn-encap-type=geneve external_ids:ovn-encap-ip=192.0.2.50`;

/** Differences between the nodes of these tests. */
export interface OneNode extends ClusterOptions {
  readonly ovnYaml: string;
  /** Options of `manifests apply`. */
  readonly options?: string;
}

/** Time until the connections must work again; the periodic sync of ovnkube takes 30 s. */
const recoverySeconds = 40;

/** Runs the containers through the events of a node: first start, kills, restarts, `disable`, and a power cut. */
export async function liveOnOneNode(t: Test, { ovnYaml, options = '', ...cluster }: OneNode): Promise<void> {
  const apply = `microshift-net manifests apply --image registry.example/ovn:1 ${options}`;
  const node = await bootCluster(ovnkubeFolder, ovnYaml, cluster);
  t.teardown(() => node.halt());
  /** Returns the containers whose programs this machine has. */
  const containers = async () => (await containersOf(node)).filter((each) => !each.runsOvnkube || !ovnkubeSkip);
  const allReady = async (t: Test): Promise<void> => {
    for (const each of await containers())
      t.comment(`${each.name} ready after ${Math.round(await untilReady(node, each))} ms`);
  };
  const connected = async (t: Test, what: string): Promise<void> => {
    const started = performance.now();
    t.strictSame(await brokenConnections(node, recoverySeconds), [], `13 of 13 connections ${what}`);
    if (cluster.isDualStack)
      t.strictSame(
        await brokenConnections(node, recoverySeconds, 'on one node, over IPv6'),
        [],
        `and over IPv6 ${what}`,
      );
    t.comment(`${what}: ${Math.round(performance.now() - started)} ms`);
  };

  await t.test('every container becomes ready', async (t) => {
    await node.text('systemctl start microshift-ovs-init');
    if (ovnkubeSkip) await node.text(asOvnkubeDoes);
    t.match(await node.run(apply), { exitCode: 0, stdout: /: (\d+) of \1 objects touched/ });
    await allReady(t);
    for (const { name, restartCount } of await containers()) t.equal(restartCount, 0, `${name} did not end by itself`);
    t.match(await node.run(apply), { exitCode: 0, stdout: /: 0 of \d+ objects touched/ });
  });

  await t.test('pods reach everything', { skip: ovnkubeSkip }, async (t) => {
    await createWorkload(node);
    await plugPods(node);
    await connected(t, 'from the start');
  });

  for (const { name } of await containers())
    await t.test(`${name} is killed`, async (t) => {
      const ping = ovnkubeSkip ? null : pings(node);
      const killed = (await containers()).find((each) => each.name === name);
      if (killed === undefined) throw new Error(`${name} is not running`);
      await node.text(`kill -KILL ${killed.pid}`);
      t.comment(`the container is ready again after ${Math.round(await untilReadyAgain(node, killed))} ms`);
      if (ping === null) return;
      await connected(t, 'afterwards');
      t.ok((await ping.lost()) <= 1, 'pods keep their network meanwhile');
    });

  await t.test('NetworkManager is restarted', { skip: ovnkubeSkip }, async (t) => {
    const ping = pings(node);
    await node.text('systemctl restart NetworkManager');
    await connected(t, 'afterwards');
    const { sent, received, lastAnswered } = await ping.ended();
    t.comment(`${received} of ${sent} pings answered, the last was number ${lastAnswered}`);
    t.ok(lastAnswered > sent - 10, 'packets without a pause between them are also answered again');
  });

  await t.test('br-ex is removed and made again', { skip: ovnkubeSkip }, async (t) => {
    const ping = pings(node);
    const followers = (await containers()).filter(({ followsBridge }) => followsBridge);
    t.equal(followers.length, 1);
    const before = await node.text(bridgeRow);
    await node.text('microshift-net disable');
    t.ok((await ping.lost()) <= 1, 'pods keep their connections to the LAN');
    await node.text('microshift-net apply');
    await connected(t, 'afterwards');
    // `disable` and `apply` do not create MicroShift's own br-ex again, nor a br-ex with ports of other programs.
    if ((await node.text(bridgeRow)) !== before) {
      for (const each of followers)
        t.comment(`${each.name} again: ${Math.round(await untilReadyAgain(node, each))} ms`);
      await connected(t, 'another ovnkube runs');
    }
    await allReady(t);
  });

  await t.test('a power cut', async (t) => {
    await node.text('ovn-nbctl --timeout=10 ls-add kept');
    const before = await containers();
    await node.powerCut();
    t.match(
      await node.run(apply),
      { exitCode: 0, stdout: /: 0 of \d+ objects touched/ },
      'apply has nothing to do once the API server is running',
    );
    for (const each of before) t.comment(`${each.name}: ${Math.round(await untilReadyAgain(node, each))} ms`);
    const kept = 'ovn-nbctl --timeout=10 --bare --columns=name find logical_switch name=kept';
    t.equal(await node.text(kept), 'kept', 'the same pod has the same databases');
    if (ovnkubeSkip) return;
    await plugPods(node);
    await connected(t, 'afterwards');
  });

  await t.test('the account of ovnkube has the rights that it uses', { skip: ovnkubeSkip }, async (t) => {
    const log = (await node.read(auditLogPath)) ?? '';
    t.comment(allowed(log).join('\n'));
    t.not(allowed(log).length, 0, 'ovnkube sent requests');
    t.strictSame(forbidden(log), [], 'no request was refused');
  });
}

interface Pings {
  readonly sent: number;
  readonly received: number;
  /** Number of the last ping that was answered. */
  readonly lastAnswered: number;
}

/** Pings the LAN from a pod until the caller stops it; the answer to the last ping may be missing. */
function pings(node: TestNode): { ended(): Promise<Pings>; lost(): Promise<number> } {
  const running = node.start('exec ip netns exec a ping -n -i 0.1 -W 5 192.0.2.1', { timeoutMs: 300_000 });
  const ended = async (): Promise<Pings> => {
    await running.signal('SIGINT');
    const { stdout } = await running.ended;
    const [, sent, received] = /(\d+) packets transmitted, (\d+) received/.exec(stdout) ?? [];
    const answered = [...stdout.matchAll(/icmp_seq=(\d+) ttl/g)].map(([, sequence]) => Number(sequence));
    return { sent: Number(sent), received: Number(received), lastAnswered: answered.at(-1) ?? 0 };
  };
  const lost = async (): Promise<number> => {
    const { sent, received } = await ended();
    return sent - received;
  };
  return { ended, lost };
}
