// Faults during a run: the node ends in exactly the old or exactly the new state, is reachable, and the next run
// succeeds. confirm.test.ts has changes that are not confirmed.
import t from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { busProxy, busProxyEnv, busProxyPath, startBusProxy } from './bus-proxy.ts';
import type { RunningCommand } from './command.ts';
import { pointAfter, pointsOf } from './faults/points.ts';
import { afterStep, apply, giveBack, type Interfered, interferedHere, isOld } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { picture, pictureLike } from './picture.ts';
import { stayedReachable } from './reachability.ts';

t.test('faults in the middle of a run', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine', files: { [busProxyPath]: busProxy } });
  t.teardown(() => node.halt());
  const before = await node.state();
  const old = await picture(node);
  const points = await pointsOf(node);
  /** Starts `apply`, and calls `act` when the run is held after the action `done`. */
  const during = async (
    done: string,
    act: (command: RunningCommand) => Promise<unknown>,
    env: Record<string, string> = {},
  ): Promise<Interfered> => {
    await armFault(node, pointAfter(points, done), 'hold');
    return interferedHere(node, act, env);
  };

  await t.test('the connection to D-Bus is lost', async (t) => {
    const proxy = node.start(startBusProxy);
    await proxy.saw('listening');
    const run = await during(afterStep.attach, () => proxy.signal('SIGUSR1'), busProxyEnv);
    t.match(run, { exitCode: 5, stderr: /^microshift-net: .*D-Bus/m });
    await isOld(t, node, old, run.interferedAt);
    await proxy.signal('SIGKILL');
  });

  await t.test('D-Bus does not come back', async (t) => {
    const proxy = node.start(startBusProxy);
    await proxy.saw('listening');
    const run = await during(afterStep.move, () => proxy.signal('SIGKILL'), busProxyEnv);
    t.match(run, { exitCode: 5, stderr: /^NetworkManager's own timer has restored the old state$/m });
    t.match(run.stderr, /^microshift-net: .*D-Bus/m);
    await isOld(t, node, old, run.interferedAt);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next apply succeeds');
    await giveBack(t, node, old);
  });

  await t.test('NetworkManager is restarted', async (t) => {
    const run = await during(afterStep.bridge, () => node.text('systemctl restart NetworkManager'));
    // Depending on the first observed event, the exit code is that of a failed activation (1) or of a stopped
    // NetworkManager (5).
    t.match(String(run.exitCode), /^[15]$/);
    t.match(run.stderr, /^microshift-net: NetworkManager .*; /m);
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('NetworkManager is restarted after the NIC has moved', async (t) => {
    const run = await during(afterStep.move, () => node.text('systemctl restart NetworkManager'));
    t.match(run, { exitCode: 5, stderr: /^microshift-net: NetworkManager stopped while it was being used; /m });
    await isOld(t, node, old, run.interferedAt);
  });

  for (const line of ['delete the profiles', 'wait for the DHCP lease on eth0']) {
    await t.test(`NetworkManager is killed, and again during the rollback: ${line}`, async (t) => {
      const kill = () => node.text('systemctl kill --signal=KILL --kill-whom=main NetworkManager');
      // systemd does not start a unit more than five times within 10 s; the tests of this file must not depend on their
      // speed.
      await node.text('systemctl reset-failed NetworkManager');
      let again: Promise<unknown> = Promise.resolve();
      const run = await during(afterStep.move, async (command) => {
        await kill();
        again = command.saw(`returning: ${line}`).then(kill);
      });
      await again;
      t.equal(run.exitCode, 5, run.stderr);
      // The NIC does not run the profile that NetworkManager generates for an external device, because no client would
      // renew the lease of such a device.
      await isOld(t, node, old, run.interferedAt);
    });
  }

  await t.test('disable also removes a br-ex whose profile NetworkManager has lost', async (t) => {
    t.match(await node.run(apply), { exitCode: 0 });
    const profile = '/run/NetworkManager/system-connections/ovs-if-br-ex.nmconnection';
    await node.text(`systemctl stop NetworkManager; rm ${profile}; systemctl start NetworkManager; nm-online -q -t 60`);
    t.match(await node.text('nmcli -g DEVICE,TYPE,STATE device'), /^br-ex:ovs-interface:disconnected$/m);
    await giveBack(t, node, old);
  });

  await t.test('NetworkManager does not come back', async (t) => {
    const kill =
      'systemctl mask --runtime --quiet NetworkManager; systemctl kill --signal=KILL --kill-whom=main NetworkManager';
    const run = await during(afterStep.attach, () => node.text(kill));
    t.match(run, { exitCode: 4, stderr: /could not be fully restored: NetworkManager is not running/ });
    const left = await node.state();
    t.strictSame(
      left.interfacesOf('br-ex'),
      ['br-ex'],
      'the NIC, which has its addresses again, is not a port of br-ex',
    );
    t.strictSame(left.addressesOf('eth0'), before.addressesOf('eth0'));
    await node.text(
      'systemctl unmask --runtime --quiet NetworkManager; systemctl start NetworkManager; nm-online -q -t 60',
    );
    t.match(await node.run('microshift-net disable'), { exitCode: 0 });
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('vswitchd hangs', async (t) => {
    const pid = '$(cat /run/openvswitch/ovs-vswitchd.pid)';
    const run = await during(afterStep.bridge, () => node.text(`kill -STOP ${pid}`));
    t.match(run, { exitCode: 5, stderr: /^microshift-net: ovs-vswitchd does not respond: /m });
    await node.text(`kill -CONT ${pid}`);
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('the gateway does not answer through the bridge', async (t) => {
    // The gateway answers the agent's ping before the move, and no later ping.
    const gateway =
      node.start(`ip netns exec lan sh -c 'tcpdump --immediate-mode -n -c 1 -i lan0 "icmp[0] = 0 and src 192.0.2.1" &&
      sysctl -w net.ipv4.icmp_echo_ignore_all=1'`);
    await gateway.saw('listening');
    const run = await during(afterStep.attach, () => gateway.ended);
    t.equal(run.exitCode, 1);
    t.match(run.stderr, /^microshift-net: the gateway 192\.0\.2\.1 answered before the change and does not/m);
    await node.text('ip netns exec lan sysctl -w net.ipv4.icmp_echo_ignore_all=0');
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('the lease never comes', async (t) => {
    await node.text('pkill -x dnsmasq');
    const command = node.start(apply, { timeoutMs: 180_000 });
    const start = await node.now();
    await command.saw('returning');
    await node.text('. /testnode/lib.sh; dhcp lan0 $(pool4)');
    const run = await command.ended;
    t.match(run, { exitCode: 1, stderr: /^microshift-net: .*lease/m });
    await isOld(t, node, old, start);
  });

  await t.test('a confirmed change stays, and undo reverts it', async (t) => {
    const run = await node.run(`${apply} --confirm-timeout 10`);
    t.match(run, { exitCode: 0, stdout: /awaiting-confirm\.\nKeep it with `microshift-net confirm` before/ });
    const tried = await node.now();
    t.match(await node.run('microshift-net confirm'), { exitCode: 0, stdout: /^Confirmed/ });
    await until(node, tried + 13_000);
    hasMoved(t, before, await node.state());
    const undone = await node.measure('microshift-net undo');
    t.equal(undone.exitCode, 0, undone.stderr);
    t.strictSame(await pictureLike(node, old), old);
  });

  // This is the last test of the node, because it changes the profile.
  await t.test('the lease never comes to a profile whose DHCP client gives up early', async (t) => {
    await node.text('nmcli connection modify eth0 ipv4.dhcp-timeout 6; nmcli connection up eth0');
    await node.ready();
    await node.text('pkill -x -STOP dnsmasq');
    const run = await node.measure(apply, { settleMs: 10_000 });
    const routes = 'ip -4 route show default dev eth0';
    t.match(
      await node.text(routes),
      /^default via 192\.0\.2\.1 proto 77 metric 47 onlink *$/,
      "the agent's copy of the default route stays until the NIC has its own",
    );
    await node.text('pkill -x -CONT dnsmasq');
    t.match(run, { exitCode: 1, stderr: /^microshift-net: .*lease/m });
    stayedReachable(t, run, ['192.0.2.50']);
    t.strictSame((await node.state()).addressesOf('eth0'), ['192.0.2.50/24']);
    await node.text(`timeout 110 sh -c 'until ${routes} | grep -q "proto dhcp"; do sleep 0.2; done'`);
    t.match(await node.run('microshift-net apply --repair'), { exitCode: 0 });
    t.match(
      await node.text(routes),
      /^default via 192\.0\.2\.1 proto dhcp [^\n]*$/,
      "the NIC has its own route, and the agent's copy is gone",
    );
  });
});

t.test('the kernel refuses an address in the middle', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'slaac', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const old = await picture(node);
  const [, step] = /^ *(\d+) +add 2001:db8:/m.exec(await node.text('microshift-net plan')) ?? [];
  await armFault(node, `before step ${step}`, 'hold');
  const run = await interferedHere(node, () => node.text('sysctl -q -w net.ipv6.conf.br-ex.disable_ipv6=1'));
  t.match(run, {
    exitCode: 1,
    stderr:
      /^microshift-net: the kernel refused `ip address replace 2001:db8:\S+ dev br-ex .*`: .*disabled.*; check that IPv6 is enabled/m,
  });
  await isOld(t, node, old, run.interferedAt);
  t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next apply succeeds');
  await giveBack(t, node, old);
});

async function until(node: TestNode, time: number): Promise<void> {
  const left = time - (await node.now());
  // The wait has a fixed end, because no event would report that the state does not change.
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
}
