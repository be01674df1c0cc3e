// Two nodes, each in a separate zone, with the real ovnkube: the flavour `interconnect`.
import t from 'tap';
import { auditLogPath } from '../cluster/api-in-node.ts';
import { allowed, forbidden } from '../cluster/audit.ts';
import { onSecond, second, withSecondNode } from '../node/second-node.ts';
import { bootCluster } from './ovnkube-node.ts';
import { clusterSkip, ovnkubeFolder, ovnkubeSkip } from './ovnkube-skip.ts';
import { bridgeRow, containersOf, untilReady, untilReadyAgain } from './running-pods.ts';
import { brokenConnections, createWorkload, firstNode, kubectl, plugPods } from './workload.ts';

const ovnYaml = 'mtu: auto\novs:\n  datapathType: netdev\n';
const apply =
  'microshift-net manifests apply --image registry.example/ovn:1 --flavor interconnect --control-plane 192.0.2.50';
/** Time until the connections must work again; the periodic sync of ovnkube takes 30 s. */
const recoverySeconds = 40;

t.test('two nodes', { skip: clusterSkip || ovnkubeSkip }, async (t) => {
  const node = await bootCluster(ovnkubeFolder, ovnYaml, { files: withSecondNode('/testnode/ovnkube/edit-second.sh') });
  t.teardown(() => node.halt());
  await node.text('systemctl start microshift-ovs-init second-node');
  // The limit is far above the 5 to 15 s that a boot takes.
  await kubectl(node, `wait node/${second.name} --for=create --timeout=100s`);
  await node.text(`${onSecond} systemctl start microshift-ovs-init`);
  const on = (name: string, command: string): string => (name === firstNode ? command : `${onSecond} ${command}`);
  const connected = async (what: string): Promise<void> => {
    const started = performance.now();
    t.strictSame(
      await brokenConnections(node, recoverySeconds, 'between two nodes'),
      [],
      `26 of 26 connections ${what}`,
    );
    t.comment(`${what}: ${Math.round(performance.now() - started)} ms`);
  };

  t.match(await node.run(`${apply} --wait --timeout 300`, { timeoutMs: 330_000 }), { exitCode: 0 });
  const containers = await containersOf(node, 2);
  t.equal(containers.length, 12, 'each node has six containers');
  for (const { name, restartCount } of containers) t.equal(restartCount, 0, `${name} was not restarted`);
  t.match(await node.run(apply), { exitCode: 0, stdout: /: 0 of \d+ objects touched/ });

  await createWorkload(node, second.name);
  await plugPods(node, second.name, onSecond);
  t.equal(await node.text('ip netns exec a cat /sys/class/net/eth0/mtu'), '1442', 'the MTU leaves room for the tunnel');
  await connected('from the start');

  for (const { pod, name } of containers) {
    const container = (await containersOf(node, 2)).find((one) => one.pod === pod && one.name === name);
    if (container === undefined) throw new Error(`${name} of ${pod} is not running`);
    await node.text(on(container.node, `kill -KILL ${container.pid}`));
    const ms = await untilReadyAgain(node, container);
    t.comment(`${name} of ${container.node} ready again after ${Math.round(ms)} ms`);
    await connected(`with another ${name} of ${container.node}`);
  }

  for (const name of [firstNode, second.name]) {
    const followers = (await containersOf(node, 2)).filter((one) => one.node === name && one.followsBridge);
    const before = await node.text(on(name, bridgeRow));
    await node.text(on(name, 'microshift-net disable'));
    await node.text(on(name, 'microshift-net apply'));
    const isAnew = (await node.text(on(name, bridgeRow))) !== before;
    if (isAnew) for (const each of followers) await untilReadyAgain(node, each);
    await connected(`with another br-ex of ${name}`);
  }
  for (const each of containers) await untilReady(node, each);

  const log = (await node.read(auditLogPath)) ?? '';
  t.not(allowed(log).length, 0, 'ovnkube asked');
  t.strictSame(forbidden(log), [], 'no request was refused');
});
