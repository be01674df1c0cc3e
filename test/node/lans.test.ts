// Nodes that are special from the boot on: moved, nothing to do, rebooted, given back.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';

t.setTimeout(400_000);

const address = '192.0.2.50';
/** What is handed over is answered all the time; what else runs on the machine may hold the node up for some scheduler slices. */
const noOutageMs = 200;

t.test('a NIC without a profile on disk', { timeout: 200_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'auto' });
  t.teardown(() => node.halt());
  const before = await node.state();
  const [made] = before.data.profiles.filter((profile) => profile.device === 'eth0');
  t.match(
    made,
    { name: 'Wired connection 1', active: true, filename: /^\/run\// },
    'NetworkManager has made one up, in memory',
  );

  const run = await node.measure('microshift-net apply');
  t.equal(run.exitCode, 0, run.stderr);
  t.ok((run.outageMs[address] ?? Infinity) <= noOutageMs, `away for ${run.outageMs[address]} ms`);
  hasMoved(t, before, await node.state());
  await isSettled(t, node.run('microshift-net apply'));

  await node.reboot();
  t.match(await node.run('microshift-net apply'), { exitCode: 0 });
  hasMoved(t, before, await node.state());

  t.match(await node.run('microshift-net disable'), { exitCode: 0 });
  await node.ready();
  const after = await node.state();
  t.strictSame(after.addressesOf('eth0'), before.addressesOf('eth0'));
  t.match(after.defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'eth0' }]);
  t.strictSame(after.profileNames(), before.profileNames(), 'no profile is left behind');
  t.strictSame(after.bridges(), []);
});

t.test('a lease that comes 15 s late', { timeout: 200_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'late-dhcp', waitReady: false });
  t.teardown(() => node.halt());
  await node.text('systemctl start NetworkManager openvswitch');
  await node.text('. /testnode/lib.sh; . /testnode/lan.sh; before_cmd > /dev/null 2>&1 < /dev/null');
  const run = await node.run('microshift-net apply', { timeoutMs: 120_000 });
  t.match(run, { exitCode: 0, stderr: /^waiting up to 40 s for a default route$/m });
  t.ok(run.wallMs > 10_000, `waited for ${Math.round(run.wallMs)} ms`);
  await node.ready();
  const state = await node.state();
  t.strictSame(state.addressesOf('br-ex'), [`${address}/24`]);
  t.match(state.defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'br-ex' }]);
  await isSettled(t, node.run('microshift-net apply'));
});

async function isSettled(t: Test, running: Promise<object>): Promise<void> {
  t.match(await running, { exitCode: 0, stdout: /Nothing to do: the node is as wanted\./ });
}
