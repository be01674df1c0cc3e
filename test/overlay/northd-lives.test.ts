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

/** Throws if ovn-northd has ended and does not answer. */
function carriedOut({ run }: Central): void {
  run('ovn-nbctl', '--timeout=60', '--wait=sb', 'sync');
}

function onRelease(t: Test, release: Release): void {
  t.test('load balancers that come before the switches and the services that they are for', async (t) => {
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
      'two of the cluster and of each gateway, for no service',
    );
  });
  t.end();
}
