// Open vSwitch's userspace data path: br-ex is a tap, and the NIC's own IP stack receives the same packets as Open
// vSwitch. own-kernel.test.ts has a node on which the driver of taps is a module.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { afterStep, interfered, isRolledBack } from './interfere.ts';
import { bootNode } from './node.ts';
import { untilWanted } from './until-wanted.ts';

const sourceCheck = 'cat /proc/sys/net/ipv4/conf/eth0/rp_filter';
const uuidOfBridge = 'ovs-vsctl get bridge br-ex _uuid';
/** Shell text that adds entries to br-ex as ovnkube does when it starts. */
const giveMore = `ip address add 169.254.169.2/29 dev br-ex; ip route add 10.43.0.0/16 via 169.254.169.4 dev br-ex mtu 1400
  ip neighbour replace 169.254.169.4 lladdr 0a:58:a9:fe:a9:04 nud permanent dev br-ex`;
const whatOthersGave = `ip -br -4 address show br-ex | grep -o '169.254.169.2/29'; ip route show 10.43.0.0/16
  ip neighbour show 169.254.169.4 dev br-ex nud permanent`;
const datapathOfOvn = 'ovs-vsctl get open . external_ids:ovn-bridge-datapath-type';
/** Shell text that prints the number of replies that arrived twice, and the share of missing replies. */
const answers =
  "ip netns exec lan ping -c 20 -i 0.05 -W 2 192.0.2.50 | grep -o '+[0-9]* duplicates\\|[0-9]*% packet loss'";

t.test('userspace data path', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', enableUnit: true, kernel: 'of this machine' });
  t.teardown(() => node.halt());
  await t.test('the unit moves the NIC at boot', async (t) => {
    await node.text('systemctl start microshift-ovs-init');
    await node.ready();
    await node.text(untilWanted());
    t.equal(await node.text(answers), '0% packet loss');
  });
  t.equal((await node.run('microshift-net disable')).exitCode, 0);
  const before = await node.text(sourceCheck);

  await t.test('a run that is killed with the NIC in the bridge is rolled back', async (t) => {
    await interfered(node, afterStep.attach, async (run) => {
      t.equal(await node.text(sourceCheck), '1', "the kernel's own IP stack drops packets that the NIC receives");
      await run.signal('SIGKILL');
    });
    await isRolledBack(node);
    t.equal(await node.text(sourceCheck), before);
    t.equal(await node.text(answers), '0% packet loss');
  });
  await t.test('the NIC moves', async (t) => {
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /committed/ });
    t.equal(await node.text('ovs-vsctl get bridge br-ex datapath_type'), 'netdev');
    t.match(await node.text(datapathOfOvn), 'netdev');
    t.equal(await node.text(answers), '0% packet loss', 'each ping has exactly one reply');
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
  });
  await node.text(giveMore);
  const others = await node.text(`${uuidOfBridge}; ${whatOthersGave}`);
  for (const way of ['restart', 'kill --signal=KILL'])
    await t.test(`${way} of NetworkManager`, async (t) => {
      await node.text(`systemctl ${way} NetworkManager; sleep 2; ${untilWanted()}`);
      t.equal(await node.text(`${uuidOfBridge}; ${whatOthersGave}`), others, 'the bridge is the same');
      t.equal(await node.text(answers), '0% packet loss');
    });
  await t.test('NetworkManager is stopped for a while', async (t) => {
    await node.text('systemctl stop NetworkManager');
    t.equal(await node.text(`${uuidOfBridge}; ${whatOthersGave}`), others);
    t.equal(await node.text(answers), '0% packet loss', 'the node answers meanwhile');
    await node.text(`systemctl start NetworkManager; sleep 2; ${untilWanted()}`);
    t.equal(await node.text(`${uuidOfBridge}; ${whatOthersGave}`), others);
  });
  await t.test('disable returns the NIC', async (t) => {
    t.equal((await node.run('microshift-net disable')).exitCode, 0);
    t.equal(await node.text(sourceCheck), before);
    t.notOk((await node.run(datapathOfOvn)).exitCode === 0);
    t.equal(await node.text(answers), '0% packet loss');
  });
});
