// The br-ex that MicroShift makes, with ports, flows and addresses of other programs: the NIC moves into that bridge
// and returns, with faults of D-Bus and ovs-vswitchd meanwhile. The tests use the kernel's data path;
// microshift-bridge-life.test.ts has all that does not depend on it.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { busProxy, busProxyEnv, busProxyPath, startBusProxy } from './bus-proxy.ts';
import { afterStep, interfered } from './interfere.ts';
import { addressesInOrder, addressesWithNic, bridgeRow, ownOf, startStandIn, takesNic } from './microshift-bridge.ts';
import { microshiftStandIn, whatOthersHave, withIpv6 } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';

const vswitchd = '$(cat /run/openvswitch/ovs-vswitchd.pid)';

/** Shell text that prints those IPv6 settings of an interface that NetworkManager may leave changed. */
const ipv6SettingsOf = (name: string): string => `cd /proc/sys/net/ipv6/conf/${name} && grep . disable_ipv6 accept_ra`;

t.test("MicroShift's own br-ex", { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: withIpv6,
    enableUnit: true,
    files: { ...microshiftStandIn, [busProxyPath]: busProxy },
  });
  t.teardown(() => node.halt());
  const { others, row, old, holds } = await startStandIn(t, node);

  await t.test("plan shows that MicroShift's br-ex is taken over", async (t) => {
    const { stdout } = await node.run('microshift-net plan');
    t.match(stdout, /MicroShift's own br-ex is taken over with all its ports/);
    t.match(stdout, /warning: ovn-kubernetes looks for the uplink of br-ex only when it starts/);
    t.notMatch(stdout, /go with it/);
  });
  await takesNic(t, node, holds);
  await t.test('disable restores the bridge as it was', async (t) => {
    await holds(t, 'microshift-net disable');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
    t.equal(await node.text(ipv6SettingsOf('br-ex')), await node.text(ipv6SettingsOf('default')));
  });
  // Without D-Bus, only the timer of NetworkManager's checkpoint restores the NIC; MicroShift's bridge is in no
  // checkpoint, so the agent restores it.
  await t.test('the bridge is restored although D-Bus ends during a run and does not return', async (t) => {
    const proxy = node.start(startBusProxy, { timeoutMs: 600_000 });
    await proxy.saw('listening');
    const run = await interfered(node, afterStep.attach, async () => proxy.signal('SIGKILL'), busProxyEnv);
    t.match(run, { exitCode: 5, stderr: /NetworkManager's own timer has restored the old state/ });
    t.equal(await node.text(whatOthersHave), others, 'the entries of other programs are unchanged');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  // The run cannot wait for ovs-vswitchd, and NetworkManager waits for no more than 6 s. Afterwards NetworkManager may
  // not see the interface, although the interface exists all the time; the next run then creates the interface again.
  await t.test('ovs-vswitchd hangs in a run, and the next run succeeds', async (t) => {
    const run = await interfered(node, afterStep.bridge, () => node.text(`kill -STOP ${vswitchd}`));
    t.equal(run.exitCode, 5, run.stderr);
    // When ovs-vswitchd continues, it sets the MAC of the interface again, and the kernel then removes permanent
    // neighbours. ovnkube adds its neighbour again when it starts.
    await node.text(`kill -CONT ${vswitchd} && sleep 1 && /usr/local/bin/pods`);
    t.match(await node.text('microshift-net plan'), /which it does not see, is created again|as it is/);
    await holds(t, 'microshift-net apply');
    t.strictSame(await addressesInOrder(node), addressesWithNic);
    await holds(t, 'microshift-net disable');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
  });
  await t.test('a bridge with a NIC of another program is refused', async (t) => {
    await node.text('ip link add dum0 type dummy && ovs-vsctl add-port br-ex dum0');
    t.match(await node.run('microshift-net apply'), { exitCode: 1, stderr: /dum0/ });
    await node.text('ovs-vsctl del-port br-ex dum0 && ip link delete dum0');
  });
});
