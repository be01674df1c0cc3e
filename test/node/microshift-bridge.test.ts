// The br-ex that MicroShift makes, with ports, flows and addresses of other programs: the NIC moves into that bridge
// and returns, with faults meanwhile. The tests use the kernel's data path; microshift-bridge-life.test.ts has kills
// and reboots.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { busProxy, busProxyEnv, busProxyPath, startBusProxy } from './bus-proxy.ts';
import { afterStep, interfered } from './interfere.ts';
import { type Moment, moments, presentNews } from './kernel-news.ts';
import { addressesInOrder, addressesWithNic, bridgeRow, ownOf, startStandIn } from './microshift-bridge.ts';
import { microshiftStandIn, whatOthersHave, withIpv6 } from './microshift-stand-in.ts';
import { bootNode } from './node.ts';
import { untilWanted } from './until-wanted.ts';

const vswitchd = '$(cat /run/openvswitch/ovs-vswitchd.pid)';

const news = '/run/news';
/**
 * Shell text that waits until the monitor has written an address of lo that is added and removed, and so everything
 * that happened before.
 */
const monitorHasWritten = (mark: string): string =>
  `until grep -q ${mark} ${news}; do ip address add ${mark}/32 dev lo; ip address delete ${mark}/32 dev lo; sleep 0.2; done`;

/**
 * MicroShift with node.nodeIP looks at all interfaces except br-ex (openshift/microshift, pkg/util/net.go,
 * selectIPFromHostInterface).
 */
const findsNodeIp = ({ addresses }: Moment): boolean =>
  addresses.some(({ device, address }) => device !== 'br-ex' && address.startsWith('192.0.2.50/'));
const onLoopback = "ip -o -4 address show dev lo | awk '{print $4}' | grep -v '^127\\.' || true";

/** NetworkManager may leave other IPv6 settings than those of a new interface. */
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

  await t.test('plan says what becomes of it', async (t) => {
    const { stdout } = await node.run('microshift-net plan');
    t.match(stdout, /MicroShift's own br-ex is taken over with all its ports/);
    t.match(stdout, /warning: ovn-kubernetes looks for the uplink of br-ex only when it starts/);
    t.notMatch(stdout, /go with it/);
  });
  await t.test('the NIC moves into it', async (t) => {
    await holds(t, 'microshift-net apply');
    t.strictSame(await addressesInOrder(node), addressesWithNic);
    await holds(t, 'microshift-net apply');
    t.match(await node.text('microshift-net status'), 'in the desired state');
  });
  await t.test('NetworkManager is restarted', async (t) => {
    await holds(t, `systemctl restart NetworkManager; ${untilWanted()}`);
    t.strictSame(await addressesInOrder(node), addressesWithNic);
  });
  await t.test('disabled, it is what it was', async (t) => {
    await holds(t, 'microshift-net disable');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
    t.equal(await node.text(ipv6SettingsOf('br-ex')), await node.text(ipv6SettingsOf('default')));
  });
  // Only the timer of NetworkManager's checkpoint remains, and NetworkManager does not know the bridge.
  await t.test('D-Bus does not return to a run, and the bridge is restored without it', async (t) => {
    const proxy = node.start(startBusProxy, { timeoutMs: 600_000 });
    await proxy.saw('listening');
    const run = await interfered(node, afterStep.attach, async () => proxy.signal('SIGKILL'), busProxyEnv);
    t.match(run, { exitCode: 5, stderr: /NetworkManager's own timer has restored the old state/ });
    t.equal(await node.text(whatOthersHave), others, 'the entries of other programs are unchanged');
    t.equal(await node.text(bridgeRow), row);
    t.strictSame(await ownOf(node), old);
    await holds(t, 'microshift-net apply');
    await holds(t, 'microshift-net disable');
    t.strictSame(await ownOf(node), old);
  });
  // The run cannot wait for ovs-vswitchd, and NetworkManager waits for no more than 6 s: afterwards it does not see the
  // interface, although the interface exists all the time.
  await t.test('vswitchd hangs in a run, and the next run goes through', async (t) => {
    const run = await interfered(node, afterStep.bridge, () => node.text(`kill -STOP ${vswitchd}`));
    t.equal(run.exitCode, 5, run.stderr);
    // ovs-vswitchd sets the MAC of the interface once more, at which the kernel removes permanent neighbours; ovnkube
    // adds its own when it starts.
    await node.text(`kill -CONT ${vswitchd} && sleep 1 && /usr/local/bin/pods`);
    t.match(await node.text('microshift-net plan'), /which it does not see, is created again/);
    await holds(t, 'microshift-net apply');
    t.strictSame(await addressesInOrder(node), addressesWithNic);
    await holds(t, 'microshift-net disable');
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
  await t.test('MicroShift with a configured address finds it at every moment', async (t) => {
    await node.write('/etc/microshift/config.yaml', 'node:\n  nodeIP: 192.0.2.50\n');
    await node.text('ip address add 10.44.0.0/32 dev lo');
    t.match(await node.text('microshift-net plan'), /192\.0\.2\.50\/32 is also added to lo/);
    const monitor = node.start(`stdbuf -oL ip -o monitor label address >> ${news}`, { timeoutMs: 600_000 });
    await node.text(`${monitorHasWritten('127.0.0.77')}; ${presentNews} >> ${news}`);
    await holds(t, 'microshift-net apply');
    t.equal(
      await node.text(onLoopback),
      '192.0.2.50/32',
      'the address that MicroShift added to lo while br-ex was missing is gone',
    );
    await holds(t, 'microshift-net apply');
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    await holds(t, 'microshift-net disable');
    await node.text(monitorHasWritten('127.0.0.78'));
    await monitor.signal('SIGTERM');
    await monitor.ended;
    const seen = moments((await node.read(news)) ?? '');
    const found = seen.slice(seen.findIndex(findsNodeIp));
    t.ok(
      found.some(({ news }) => / br-ex .* 192\.0\.2\.50\//.test(news)),
      'the kernel reported the address on br-ex',
    );
    t.equal(
      found.find((moment) => !findsNodeIp(moment)),
      undefined,
      'at each moment another interface has it',
    );
    t.equal(await node.text(onLoopback), '');
    t.strictSame(await ownOf(node), old);
  });
  await t.test('a NIC of another program in it is refused', async (t) => {
    await node.text('ip link add dum0 type dummy && ovs-vsctl add-port br-ex dum0');
    t.match(await node.run('microshift-net apply'), { exitCode: 1, stderr: /dum0/ });
    await node.text('ovs-vsctl del-port br-ex dum0 && ip link delete dum0');
  });
});
