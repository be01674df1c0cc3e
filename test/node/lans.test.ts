// Nodes with an uncommon network at boot: a move, a run with nothing to do, a reboot, and the return of the NIC.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { stayedReachable } from './reachability.ts';

const address = '192.0.2.50';

t.test('a NIC without a profile on disk', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'auto', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const before = await node.state();
  const [made] = before.data.profiles.filter((profile) => profile.device === 'eth0');
  t.match(
    made,
    { name: 'Wired connection 1', active: true, filename: /^\/run\// },
    'NetworkManager has generated a profile in memory',
  );

  const run = await node.measure('microshift-net apply');
  t.equal(run.exitCode, 0, run.stderr);
  stayedReachable(t, run, [address]);
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

t.test('a lease that comes 15 s late', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'late-dhcp', kernel: 'of this machine', waitReady: false });
  t.teardown(() => node.halt());
  await appliedLate(t, node);
  const state = await node.state();
  t.strictSame(state.addressesOf('br-ex'), [`${address}/24`]);
  t.match(state.defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'br-ex' }]);
  await isSettled(t, node.run('microshift-net apply'));

  await t.test('br-ex gets a late lease with an MTU if a hint file names the NIC', async (t) => {
    await node.text(`microshift-net disable; echo eth0 > /var/lib/ovnk/iface_default_hint; pkill dnsmasq
      nmcli --wait 0 connection up eth0; . /testnode/lib.sh
      ( sleep 5; dhcp lan0 $(pool4) --dhcp-option=26,1400 ) > /dev/null 2>&1 < /dev/null &`);
    const run = await node.run('microshift-net apply', { timeoutMs: 120_000 });
    t.match(run, { exitCode: 0, stderr: /wait for the DHCP lease on br-ex/ });
    const after = await node.state();
    t.strictSame(after.addressesOf('br-ex'), [`${address}/24`]);
    t.equal(after.link('br-ex')?.mtu, 1400);
    await isSettled(t, node.run('microshift-net apply'));
  });
});

t.test('a router that advertises itself 15 s late', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'late-ra', kernel: 'of this machine', waitReady: false });
  t.teardown(() => node.halt());
  await appliedLate(t, node);
  const state = await node.state();
  t.strictSame(state.addressesOf('br-ex'), [`${address}/24`, '2001:db8::5054:ff:feaa:0/64']);
  t.match(state.defaultRoutes(6), [{ gateway: /^fe80:/, dev: 'br-ex' }]);
  await isSettled(t, node.run('microshift-net apply'));
});

t.test('IPv6 addresses that are still checked for duplicates', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'static-dual', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  await node.text('nmcli connection up eth0');
  const before = await node.text('ip -6 address show dev eth0');
  t.match(
    before,
    /2001:db8::50\/64 scope global tentative/,
    'NetworkManager reports the NIC as connected before its addresses are usable',
  );
  const run = await node.run(
    'ip -o -6 monitor address > /tmp/addresses & microshift-net apply; code=$?; kill $!; exit $code',
  );
  t.match(run, { exitCode: 0 });
  const log = (await node.text('cat /tmp/addresses')).split('\n').filter((line) => line.includes('2001:db8::50/64'));
  const isReady = (line: string): boolean => /^\d+: br-ex/.test(line) && !line.includes('tentative');
  const ready = log.findIndex(isReady);
  const gone = log.findIndex((line) => /^Deleted \d+: eth0/.test(line));
  t.ok(ready !== -1 && gone !== -1 && ready < gone, `br-ex has the address before eth0 loses it: ${log.join('; ')}`);
});

/** Asserts that `apply` waits for a lease or an advertisement that arrives 15 s after its start. */
async function appliedLate(t: Test, node: TestNode): Promise<void> {
  await node.text('systemctl start NetworkManager openvswitch');
  await node.text('. /testnode/lib.sh; . /testnode/lan.sh; before_cmd > /dev/null 2>&1 < /dev/null');
  const run = await node.run('microshift-net apply', { timeoutMs: 120_000 });
  t.match(run, { exitCode: 0, stderr: /^waiting up to 40 s for a default route$/m });
  await node.ready();
}

async function isSettled(t: Test, running: Promise<object>): Promise<void> {
  t.match(await running, { exitCode: 0, stdout: /Nothing to do: the node is in the desired state\./ });
}
