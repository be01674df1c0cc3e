// The cases of the conformance tests for ClusterNetworkPolicy, checked with ovn-northd and ovn-trace of each release.
import t, { type Test } from 'tap';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { modern, nodeOf } from '../unit/overlay/cluster.ts';
import { peers, subject } from '../unit/workload/cluster-policies/conformance-cases.ts';
import { cases, changeCluster, conformanceWorld } from '../unit/workload/cluster-policies/conformance-world.ts';
import { startPolicyCluster } from './policy-cluster.ts';
import { type Release, releasesHere } from './releases.ts';

async function onRelease(t: Test, release: Release): Promise<void> {
  const nodes = [nodeOf(1), nodeOf(2)];
  const cluster = await startPolicyCluster(t, release, modern, nodes, conformanceWorld());
  for (const { title, steps } of cases) {
    await t.test(title, async (t) => {
      const world = conformanceWorld();
      await cluster.plan(world);
      for (const step of steps) {
        await cluster.plan(world, changeCluster(world, step));
        t.equal(await cluster.plan(world), 0, 'a second plan has nothing to do');
        const own = cluster.pod(world, `${subject}/pod-1`);
        for (const { port, protocol, isOpen } of step.probes) {
          const wrong: string[] = [];
          for (const peer of peers) {
            const other = cluster.pod(world, `${peer}/pod-2`);
            const there = await cluster.send(own, other, protocol, port);
            if (there !== (isOpen(subject, peer) ? other.port : null)) wrong.push(`to ${peer}`);
            const back = await cluster.send(other, own, protocol, port);
            if (back !== (isOpen(peer, subject) ? own.port : null)) wrong.push(`from ${peer}`);
          }
          const reached = await cluster.send(own, cluster.node(1), protocol, port);
          if ((reached !== null) !== isOpen(subject, 'node')) wrong.push('to the node');
          t.strictSame(wrong, [], `${protocol} ${port}`);
        }
      }
    });
  }
}

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));
