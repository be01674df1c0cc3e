// northd of 26.03 crashes if a switch gets a load balancer that was created during its run without name and VIP. The
// agent never creates such a row.
import t, { type Test } from 'tap';
import type { OverlayNode } from '../../agent/model/overlay.ts';
import { missingForOvn } from '../cluster/unpacked-ovn.ts';
import { gatewayOf, nodeOf, seed } from '../unit/overlay/cluster.ts';
import { type Central, startCentral } from './central.ts';
import { type Release, releasesHere } from './releases.ts';

const reason = missingForOvn();
if (reason !== null) t.plan(0, reason);
else for (const release of releasesHere()) t.test(release.name, (t) => onRelease(t, release));

function nodeAt(id: number): OverlayNode {
  return nodeOf(id, { subnets: [`192.168.${id}.0/24`], gateway: gatewayOf(id) });
}

/** Waits until ovn-northd has processed all changes; throws if it has ended. */
function carriedOut({ run }: Central): void {
  run('ovn-nbctl', '--timeout=60', '--wait=sb', 'sync');
}

function onRelease(t: Test, release: Release): void {
  t.test('load balancers are created before the switches and services that use them', async (t) => {
    const central = await startCentral(t, true, release);
    for (const nodes of [[], [nodeAt(1)], [nodeAt(1), nodeAt(2)]]) {
      carriedOut(central);
      await central.apply({ layout: seed, nodes, centralNode: 'kube-master' });
    }
    carriedOut(central);
    t.match(central.run('ovn-sbctl', '--columns=external_ids', 'find', 'Datapath_Binding'), 'name=n2');
    const { tables } = await central.read();
    const vips = tables.Load_Balancer?.map((row) => row.vips) ?? [];
    t.strictSame(
      vips,
      Array.from({ length: 6 }, () => ({})),
      'the cluster and each gateway have two load balancers without services',
    );
  });
  t.end();
}
