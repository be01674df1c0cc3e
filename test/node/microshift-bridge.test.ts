// The br-ex that MicroShift makes, with ports, flows and addresses of other programs: the NIC moves into that bridge
// and returns, and ovs-vswitchd hangs meanwhile. The tests use the kernel's data path.
// microshift-bridge-life.test.ts has all that does not depend on it.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { afterStep, interfered } from './interfere.ts';
import { addressesInOrder, addressesWithNic, bridgeRow, ownOf, startStandIn, takesNic } from './microshift-bridge.ts';
import { microshiftStandIn, withIpv6 } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';

const vswitchd = '$(cat /run/openvswitch/ovs-vswitchd.pid)';

/** Shell text that prints those IPv6 settings of an interface that NetworkManager may leave changed. */
const ipv6SettingsOf = (name: string): string => `cd /proc/sys/net/ipv6/conf/${name} && grep . disable_ipv6 accept_ra`;

t.test("MicroShift's own br-ex", { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: withIpv6,
    enableUnit: true,
    files: microshiftStandIn,
  });
  t.teardown(() => node.halt());
  const { row, old, holds } = await startStandIn(t, node);

  await takesNic(t, node, holds);
  await t.test('disable restores the bridge as it was', async (t) => {
    await holds(t, 'microshift-net disable');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
    t.equal(await node.text(ipv6SettingsOf('br-ex')), await node.text(ipv6SettingsOf('default')));
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
