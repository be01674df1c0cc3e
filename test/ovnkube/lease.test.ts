// The cluster manager of a real ovnkube loses its lease to another holder: it exits, as intended, and all other
// containers continue.
import t from 'tap';
import { bootCluster } from './ovnkube-node.ts';
import { clusterSkip, ovnkubeFolder, ovnkubeSkip } from './ovnkube-skip.ts';
import { containersOf, untilReady, untilReadyAgain } from './running-pods.ts';
import { brokenConnections, createWorkload, kubectl, plugPods } from './workload.ts';

const lease = '-n openshift-ovn-kubernetes lease/ovn-kubernetes-master';
/**
 * Limit for the exit of the cluster manager, more than three times as long as usual: ovnkube requests the lease every
 * 26 s, and exits after 107 s without the lease (ovnkube.conf).
 */
const giveUpSeconds = 400;

t.test('the lease is lost', { skip: clusterSkip || ovnkubeSkip }, async (t) => {
  const node = await bootCluster(ovnkubeFolder, 'ovs:\n  datapathType: netdev\n');
  t.teardown(() => node.halt());
  await node.text('systemctl start microshift-ovs-init');
  await node.text('microshift-net manifests apply --image registry.example/ovn:1');
  for (const each of await containersOf(node)) await untilReady(node, each);
  await createWorkload(node);
  await plugPods(node);
  t.strictSame(await brokenConnections(node, 40), []);

  const heldBy = (holder: string): Promise<string> => {
    const held = `--for=jsonpath='{.spec.holderIdentity}'=${holder}`;
    return kubectl(node, `wait ${lease} ${held} --timeout=${giveUpSeconds}s`, undefined, (giveUpSeconds + 30) * 1000);
  };
  const give = (holderIdentity: string): Promise<string> => {
    const spec = {
      holderIdentity,
      renewTime: new Date().toISOString().replace('Z', '000Z'),
      leaseDurationSeconds: 3600,
    };
    return kubectl(node, `patch ${lease} --type=merge -p '${JSON.stringify({ spec })}'`);
  };
  await heldBy('node');
  const before = await containersOf(node);
  const manager = before.find(({ name }) => name === 'ovnkube-cluster-manager');
  if (manager === undefined) throw new Error('no cluster manager');
  await give('somebody-else');
  t.comment(`ended and started again after ${Math.round(await untilReadyAgain(node, manager, giveUpSeconds))} ms`);
  t.strictSame(await brokenConnections(node, 40), [], 'the connections of pods work');
  await plugPods(node);
  t.strictSame(await brokenConnections(node, 40), [], 'the connections of new pods work');
  await give('');
  await heldBy('node');
  const restarts = (some: typeof before) => some.map(({ name, restartCount }) => `${name} ${restartCount}`);
  const expected = before.map((one) => ({ ...one, restartCount: one.restartCount + (one === manager ? 1 : 0) }));
  t.strictSame(restarts(await containersOf(node)), restarts(expected), 'no other container ended');
});
