// br-ex without a NIC (`uplink: none`), like the br-ex that MicroShift makes. The change causes no outage.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { everyPingAnswered } from './every-ping.ts';
import { microshiftStandInFile } from './microshift-file-table.ts';
import { bootNode } from './node.ts';
import { picture, pictureLike } from './picture.ts';
import { stayedReachable } from './reachability.ts';
import { untilWanted } from './until-wanted.ts';

const script = '/usr/bin/configure-ovs.sh';

t.test('br-ex without a NIC', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    kernel: 'of this machine',
    enableRepair: true,
    files: { '/etc/microshift/ovn.yaml': 'uplink: none\n' },
  });
  t.teardown(() => node.halt());
  const untouched = await picture(node);

  await t.test('apply makes the bridge, and no packet is lost', async (t) => {
    // The test counts the replies that ping(8) prints: they may be late on a busy machine, but none may be missing.
    const ping = node.start('ip netns exec lan ping -n -i 0.02 -W 2 192.0.2.50 > /run/testnode/ping');
    const run = await node.measure('microshift-net apply');
    await ping.signal('SIGINT');
    await ping.ended;
    t.match(run, { exitCode: 0, stdout: /Done: transaction \S+ committed/ });
    everyPingAnswered(t, await node.read('/run/testnode/ping'));
    t.comment(`none: apply ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
    const after = await node.state();
    // Open vSwitch sets the flag PROMISC for a tap of its userspace data path.
    t.match(after.link('br-ex'), {
      mac: '0a:59:00:00:00:01',
      flags: ['BROADCAST', 'MULTICAST', 'PROMISC', 'UP', 'LOWER_UP'],
    });
    t.strictSame(after.interfacesOf('br-ex'), ['br-ex']);
    t.strictSame(
      after.addressesOf('br-ex'),
      ['10.44.0.0/32'],
      'br-ex has an address, without which ovnkube would exit',
    );
    t.strictSame(after.addressesOf('eth0'), ['192.0.2.50/24']);
    t.match(after.defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'eth0' }]);
    t.match(after.profile('eth0'), { active: true, device: 'eth0' });
    t.strictSame((await picture(node)).etc, untouched.etc);
  });

  await t.test('a second apply changes nothing', async (t) => {
    const before = await picture(node);
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    t.strictSame(await picture(node), before);
  });

  await t.test('br-ex keeps its address during a restart of NetworkManager', async (t) => {
    await node.text(`systemctl restart NetworkManager; ${untilWanted()}`);
    t.strictSame((await node.state()).addressesOf('br-ex'), ['10.44.0.0/32']);
  });

  await t.test("br-ex has no address of the profile if MicroShift's script is installed", async (t) => {
    await node.write(script, microshiftStandInFile(script));
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /committed/ });
    t.strictSame((await node.state()).addressesOf('br-ex'), []);
    await node.text('ip address add 10.44.0.0/32 dev br-ex');
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /^Nothing to do/ });
    await node.text(`rm ${script}`);
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stdout: /committed/ });
    t.strictSame((await node.state()).addressesOf('br-ex'), ['10.44.0.0/32']);
  });

  await t.test('disable removes the bridge', async (t) => {
    const run = await node.measure('microshift-net disable');
    t.equal(run.exitCode, 0, run.stderr);
    stayedReachable(t, run, ['192.0.2.50']);
    t.strictSame(await pictureLike(node, untouched), untouched);
  });
});
