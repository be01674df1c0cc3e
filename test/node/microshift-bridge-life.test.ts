// MicroShift's own br-ex during restarts, kills and reboots with the NIC in it, during a `disable` that is killed, and
// during a rollback and an undo; and the address that MicroShift finds meanwhile.
import t, { type Test } from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { busProxy, busProxyEnv, busProxyPath, startBusProxy } from './bus-proxy.ts';
import { otherAddresses } from './found-address.ts';
import { afterStep, interfered, isRolledBack, untilRolledBack } from './interfere.ts';
import type { Moment } from './kernel-news.ts';
import { addressesInOrder, addressesWithNic, bridgeRow, ownOf, startStandIn, takesNic } from './microshift-bridge.ts';
import { microshiftStandInInUserspace, whatOthersHave, withIpv6 } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';
import { recordedNews, recordNews } from './recorded-news.ts';
import { untilWanted } from './until-wanted.ts';

/**
 * Returns true if MicroShift finds the address of node.nodeIP: it looks at all interfaces except br-ex
 * (openshift/microshift, pkg/util/net.go, selectIPFromHostInterface).
 */
const findsNodeIp = ({ addresses }: Moment): boolean =>
  addresses.some(({ device, address }) => device !== 'br-ex' && address.startsWith('192.0.2.50/'));
const onLoopback = "ip -o -4 address show dev lo | awk '{print $4}' | grep -v '^127\\.' || true";

t.test("life of MicroShift's own br-ex", { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: withIpv6,
    enableUnit: true,
    kernel: 'of this machine',
    files: { ...microshiftStandInInUserspace, [busProxyPath]: busProxy },
  });
  t.teardown(() => node.halt());
  const { others, row, old, holds: keepsOthers } = await startStandIn(t, node);
  const holds = async (t: Test, command: string): Promise<void> => {
    await recordNews(node);
    await keepsOthers(t, command);
    const differing = otherAddresses(await recordedNews(node), '192.0.2.50/24');
    t.strictSame(differing, [], `${command}: MicroShift finds the same address at every moment`);
  };

  await takesNic(t, node, holds);
  await t.test('another run changes nothing', async (t) => {
    await holds(t, 'microshift-net apply');
    t.match(await node.text('microshift-net status'), 'in the desired state');
  });
  await t.test('NetworkManager is killed', async (t) => {
    await holds(t, `systemctl kill -s KILL NetworkManager; sleep 2; ${untilWanted()}`);
    t.strictSame(await addressesInOrder(node), addressesWithNic);
  });
  await t.test('an update of the bridge keeps the entries of other programs', async (t) => {
    await node.text('nmcli connection modify eth0 802-3-ethernet.mtu 1400 && nmcli device reapply eth0');
    await holds(t, 'microshift-net apply');
    t.match(await node.text('ip link show br-ex'), /mtu 1400/);
    t.strictSame(await addressesInOrder(node), addressesWithNic);
  });
  // The stand-in adds the entries of other programs again at every start, and this test shows that no setting of the
  // agent prevents that. The bridge's row in the database is the same only after a power cut.
  const boots = [
    { name: 'the machine is rebooted', end: () => node.reboot(), rowStays: false },
    { name: 'the power of the machine is cut', end: () => node.powerCut(), rowStays: true },
  ];
  for (const { name, end, rowStays } of boots) {
    await t.test(name, async (t) => {
      await end();
      await node.ready();
      await node.text('systemctl start microshift-stand-in');
      t.equal(await node.text(whatOthersHave), others);
      t.match(await node.run(untilWanted()), { exitCode: 0 }, 'br-ex is in the desired state');
      const said = await node.text('journalctl -b --no-pager -u microshift-net-recover');
      t.equal(said.includes('gave br-ex back to MicroShift'), rowStays);
    });
  }
  for (const point of ['after step 1', 'after step 2']) {
    await t.test(`a disable that is killed ${point} is rolled back`, async (t) => {
      await armFault(node, point, 'kill');
      t.match(await node.run('microshift-net disable'), { signal: 'SIGKILL' });
      await isRolledBack(node);
      t.equal(await node.text(whatOthersHave), others, 'the entries of other programs are unchanged');
      t.strictSame(await addressesInOrder(node), addressesWithNic);
      t.equal((await node.run('microshift-net verify')).exitCode, 0);
    });
  }
  await t.test('disable restores the bridge as it was', async (t) => {
    await holds(t, 'microshift-net disable');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  // The bridge has NetworkManager's marks at this point, but NetworkManager has no state file of the bridge yet: a new
  // NetworkManager would remove the bridge as a leftover.
  await t.test('NetworkManager is killed while the bridge is taken over', async (t) => {
    const run = await interfered(node, afterStep.bridge, () => node.text('systemctl kill -s KILL NetworkManager'));
    t.equal(run.exitCode, 5, run.stderr);
    await isRolledBack(node);
    t.equal(await node.text(whatOthersHave), others, 'the entries of other programs are unchanged');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  await t.test('a rollback and an undo', async (t) => {
    await holds(t, 'microshift-net apply --confirm-timeout 60 && microshift-net undo');
    t.equal(await node.text(bridgeRow), row);
    await holds(t, 'microshift-net apply && microshift-net undo');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  // NetworkManager's own rollback would remove the bridge with the ports and flows of other programs, and would add the
  // address that lo had when NetworkManager was started.
  await t.test('a change that is not confirmed', async (t) => {
    await node.text(`microshift-net apply; systemctl restart NetworkManager; ${untilWanted()}`);
    await node.text('microshift-net disable');
    const tried = 'microshift-net apply --confirm-timeout 3';
    await holds(t, `${tried} && ${untilRolledBack}`);
    t.match(await node.text('microshift-net history | head -1'), / reverted /);
    t.equal(await node.text(bridgeRow), row);
    t.equal(await node.text(onLoopback), '');
    t.strictSame(await ownOf(node), old);
  });
  await t.test('MicroShift finds its configured address at every moment', async (t) => {
    await node.write('/etc/microshift/config.yaml', 'node:\n  nodeIP: 192.0.2.50\n');
    await node.text('ip address add 10.44.0.0/32 dev lo');
    t.match(await node.text('microshift-net plan'), /192\.0\.2\.50\/32 is also added to lo/);
    await recordNews(node);
    await keepsOthers(t, 'microshift-net apply');
    t.equal(
      await node.text(onLoopback),
      '192.0.2.50/32',
      'the address that MicroShift added to lo while br-ex was missing is gone',
    );
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    await keepsOthers(t, 'microshift-net disable');
    const { later: seen } = await recordedNews(node);
    const found = seen.slice(seen.findIndex(findsNodeIp));
    t.ok(
      found.some(({ news }) => / br-ex .* 192\.0\.2\.50\//.test(news)),
      'the kernel reported the address on br-ex',
    );
    t.equal(
      found.find((moment) => !findsNodeIp(moment)),
      undefined,
      'at each moment an interface other than br-ex has the address',
    );
    t.equal(await node.text(onLoopback), '');
    t.strictSame(await ownOf(node), old);
  });
  // Without D-Bus, only the timer of NetworkManager's checkpoint restores the NIC. MicroShift's bridge is in no
  // checkpoint, so the agent restores it. In the userspace data path, the bridge keeps the node's addresses after
  // NetworkManager's rollback.
  await t.test('the bridge is restored although D-Bus ends during a run and does not return', async (t) => {
    const proxy = node.start(startBusProxy, { timeoutMs: 600_000 });
    await proxy.saw('listening');
    const route = 'ip route show 10.43.0.0/16';
    const [before, held] = [await node.text(route), [] as string[]];
    const interfere = async (): Promise<void> => {
      held.push(await node.text(route));
      await proxy.signal('SIGKILL');
    };
    const run = await interfered(node, afterStep.attach, interfere, busProxyEnv);
    t.match(before, / src 169\.254\.169\.2 /);
    t.strictSame(held, [before], 'the route of ovn-kubernetes is there before the NIC loses its addresses');
    t.match(run, { exitCode: 5, stderr: /NetworkManager's own timer has restored the old state/ });
    t.equal(await node.text(onLoopback), '', 'lo has no address of the change');
    t.equal(await node.text(whatOthersHave), others, 'the entries of other programs are unchanged');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  // The recovery of a change rolls back before NetworkManager does, unless the recovery cannot run. NetworkManager's
  // rollback removes the row, and with it the ports and flows of other programs, which therefore are not compared.
  await t.test('the bridge is made again after a rollback by NetworkManager alone', async (t) => {
    t.match(await node.run('microshift-net apply --confirm-timeout 600'), { exitCode: 0 });
    await node.text(`nm() { busctl "$1" org.freedesktop.NetworkManager /org/freedesktop/NetworkManager org.freedesktop.NetworkManager "$2" $3 $4; }
      path=$(nm get-property Checkpoints | cut -d '"' -f 2); nm call CheckpointRollback o "$path"
      timeout 60 sh -c 'while ovs-vsctl br-exists br-ex; do sleep 0.2; done'`);
    // A unit that watches events may have recovered the change before.
    t.match(await node.run('microshift-net recover && microshift-net history | head -1'), {
      exitCode: 0,
      stdout: / reverted /,
    });
    t.equal(await node.text('ovs-vsctl get Bridge br-ex datapath_type'), 'netdev');
    t.equal(await node.text(bridgeRow), row);
    t.equal(await node.text(onLoopback), '');
    t.match(await node.run('microshift-net apply'), { exitCode: 0 }, 'the NIC can move into it again');
  });
});
