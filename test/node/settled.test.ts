// A node that is as it was when a run found nothing to do is told so without planning; every change is seen.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import type { RunResult } from './command.ts';
import { bootNode } from './node.ts';

const bundle = '/usr/share/microshift-net/apply.cjs';
const changes = [
  'nmcli connection modify ovs-if-br-ex connection.zone public',
  'ovs-vsctl set bridge br-ex external_ids:test=1',
  'mkdir -p /etc/microshift; echo "mtu: 1390" > /etc/microshift/ovn.yaml',
  'ip address add 198.51.100.7/32 dev lo',
  'echo eth9 > /var/lib/ovnk/iface_default_hint',
  'systemctl restart NetworkManager',
];

t.test('answers are compared before anything is planned', { timeout: 300_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp' });
  t.teardown(() => node.halt());
  const apply = (): Promise<RunResult> => node.run('microshift-net apply');
  // Without the bundle that plans, only a node that is found settled can be told anything.
  const planless = (): Promise<RunResult> =>
    node.run(`mv ${bundle} ${bundle}.away; microshift-net apply; code=$?; mv ${bundle}.away ${bundle}; exit $code`);
  const settled = { exitCode: 0, stdout: 'Nothing to do: the node is as wanted.\n', stderr: '' };
  const unsettled = { exitCode: 1, stderr: /apply\.cjs/ };

  t.match(await planless(), unsettled, 'nothing is known before the first run');
  t.match(await apply(), { exitCode: 0, stdout: /Done/ });
  t.match(await apply(), settled);
  t.match(await planless(), settled);
  t.match(await node.text('cat /run/microshift-net/metrics.prom'), /runs_total\{outcome="unchanged"\} 2\n/);
  for (const change of changes) {
    await node.text(change);
    t.match(await planless(), unsettled, change);
    t.match(await apply(), { exitCode: 0 }, `${change}: a full run`);
    t.match(await apply(), settled);
    t.match(await planless(), settled, `${change}: settled again`);
  }
  await node.text('chmod 666 /run/microshift-net/settled');
  t.match(await planless(), unsettled, 'what others could have written is not believed');
});
