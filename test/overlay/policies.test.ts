// The Kubernetes project's cases for network policies, checked with ovn-northd and ovn-trace of each release.
import t, { type Test } from 'tap';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { modern, nodeOf } from '../unit/overlay/cluster.ts';
import { netpolCases } from '../unit/workload/policies/netpol-cases.ts';
import { changeWorld, netpolWorld } from '../unit/workload/policies/netpol-world.ts';
import { startPolicyCluster } from './policy-cluster.ts';
import { type Release, releasesHere } from './releases.ts';

async function onRelease(t: Test, release: Release): Promise<void> {
  const cluster = await startPolicyCluster(t, release, modern, [nodeOf(1), nodeOf(2)], netpolWorld());
  for (const { title, pods, steps } of netpolCases) {
    await t.test(title, async (t) => {
      const world = netpolWorld();
      await cluster.plan(world);
      for (const step of steps) {
        await cluster.plan(world, changeWorld(world, step));
        for (const { port, protocol, isOpen } of step.probes) {
          const wrong: string[] = [];
          for (const from of pods)
            for (const to of pods.filter((other) => other !== from)) {
              const end = cluster.pod(world, to);
              const reached = await cluster.send(cluster.pod(world, from), end, protocol, port);
              if (reached !== (isOpen(from, to) ? end.port : null)) wrong.push(`${from} to ${to}`);
            }
          t.strictSame(wrong, [], `${protocol} ${port}`);
        }
      }
    });
  }
}

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));
