// `bridge add` for any NIC: on a host without MicroShift, and beside br-ex. It needs the kernel's data path;
// refusals.test.ts has the requests that are refused on any host.
import t, { type Test } from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { isOld, isRolledBack } from './interfere.ts';
import { areSame } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { picture, pictureLike } from './picture.ts';
import { isUnder, reachable } from './under.ts';
import { noJob } from './until-wanted.ts';
import { watchWrites } from './writes.ts';

const listFile = '/var/lib/microshift-net/bridges.json';
// If an event arrives during a repair, another repair follows, and no unit reports the end of the last repair. The
// pause between two attempts leaves the node's CPU to the repair, and no attempt is made while systemd has a job for a
// unit of the agent.
const untilAsWanted = `timeout 110 sh -c 'until ${noJob} && microshift-net bridge list; do sleep 2; done'`;
/** Shell text that waits until a NIC is a port again, and then until `bridge list` reports the desired state. */
const untilPort = (nic: string): string =>
  `timeout 110 sh -c 'until ovs-vsctl port-to-br ${nic}; do sleep 1; done' && ${untilAsWanted}`;
const sum = 'sha256sum /var/lib/openvswitch/conf.db';
/** Shell text that waits until ovs-vswitchd has written the state of new interfaces to the database's file. */
const untilDatabaseRests = `timeout 90 sh -c 'until old=$(${sum}); sleep 5; [ "$old" = "$(${sum})" ]; do :; done'`;
const leftToAdmin = "mkdir -p /etc/microshift; echo 'disableOVSInit: true' > /etc/microshift/ovn.yaml";

async function listOn(node: TestNode): Promise<unknown> {
  return JSON.parse((await node.read(listFile)) ?? '[]');
}

t.test('a host without MicroShift', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'any-nic', enableBridges: true, enableRepair: true });
  t.teardown(() => node.halt());
  const before = await node.state();
  const untouched = await picture(node);

  await t.test('a run that crashes leaves the host as it was', async (t) => {
    await armFault(node, 'after step 5', 'kill');
    const since = await node.now();
    t.match(await node.run('microshift-net bridge add eth0'), { signal: 'SIGKILL' });
    await isRolledBack(node);
    await isOld(t, node, untouched, since);
    t.strictSame(await listOn(node), []);
  });

  await t.test('each NIC gets its bridge without an interruption for the LAN', async (t) => {
    for (const nic of ['eth1', 'eth0']) {
      const run = await node.measure(`microshift-net bridge add ${nic}`);
      t.match(run, { exitCode: 0, stdout: /Done: transaction \S+ committed/ });
      t.comment(`${nic}: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
      reachable(t, run);
    }
    const after = await node.state();
    for (const nic of ['eth0', 'eth1']) isUnder(t, before, after, nic);
    t.strictSame(after.bridges(), ['breth0', 'breth1'], 'br-ex does not exist');
    t.match(JSON.parse(await node.text('microshift-net --output json bridge list')), {
      command: 'bridge list',
      outcome: 'as-wanted',
      bridges: [
        { bridge: 'breth0', uplink: 'eth0', addresses: ['192.0.2.50/24'], state: 'as-wanted', differences: [] },
        { bridge: 'breth1', uplink: 'eth1' },
      ],
    });
  });

  await t.test('a second `bridge add` writes nothing, and a removal that crashes leaves the bridge', async (t) => {
    const moved = await picture(node);
    const list = await listOn(node);
    await node.text(untilDatabaseRests);
    const watched = await watchWrites(node, 'microshift-net bridge add eth1 && microshift-net bridge apply');
    t.match(watched, { exitCode: 0, busWrites: [], busSignals: [], databaseWrites: [], databaseSame: true });
    await armFault(node, 'after step 1', 'kill');
    const since = await node.now();
    t.match(await node.run('microshift-net bridge remove eth0'), { signal: 'SIGKILL' });
    await isRolledBack(node);
    await isOld(t, node, moved, since);
    t.strictSame(await listOn(node), list);
  });

  await t.test('a reboot keeps the bridges', async (t) => {
    await node.reboot();
    await node.text('systemctl start microshift-net-bridges.service');
    const after = await node.state();
    for (const nic of ['eth0', 'eth1']) isUnder(t, before, after, nic);
    t.strictSame(after.bridges(), ['breth0', 'breth1']);
  });

  // In the following tests the node also has a br-ex of its administrator, which the agent does not change.
  const rowOf = () => node.text('ovs-vsctl --columns=_uuid,external_ids,ports list Bridge br-ex');
  await node.text(`${leftToAdmin}; ovs-vsctl add-br br-ex -- set Bridge br-ex external_ids:mine=yes`);
  const row = await rowOf();

  await t.test('a restart of NetworkManager and a removal of the port by hand are repaired', async (t) => {
    const restart = await node.measure('systemctl restart NetworkManager');
    reachable(t, restart);
    t.match(await node.text(untilAsWanted), /^breth0 .* in the desired state .*192\.0\.2\.50/m);
    await node.text(`ovs-vsctl del-port breth1 eth1; ${untilPort('eth1')}`);
    isUnder(t, before, await node.state(), 'eth1');
  });

  await t.test('after the removal of one bridge, Open vSwitch is stopped and started', async (t) => {
    await isReturned(t, node, 'eth0');
    await node.text('systemctl stop ovs-vswitchd');
    t.match(await node.run('systemctl is-active microshift-net-bridges.service'), { stdout: 'inactive\n' });
    t.strictSame((await node.state()).addressesOf('eth1'), before.addressesOf('eth1'), 'eth1 is returned first');
    await node.text('systemctl start ovs-vswitchd');
    await node.text(
      "timeout 110 sh -c 'until systemctl is-active --quiet microshift-net-bridges.service; do sleep 1; done'",
    );
    const after = await node.state();
    isUnder(t, before, after, 'eth1');
    t.strictSame(after.bridges(), ['br-ex', 'breth1'], 'the removed bridge is not built again');
  });

  await t.test('the removal of the last bridge leaves no trace', async (t) => {
    await isReturned(t, node, 'breth1');
    t.equal(await rowOf(), row, "the administrator's br-ex is as it was");
    await node.text('ovs-vsctl del-br br-ex; rm /etc/microshift/ovn.yaml');
    t.strictSame(await pictureLike(node, untouched), untouched);
    t.equal(await node.read(listFile), null);
  });

  // In faults.test.ts, NetworkManager crashes before the profiles of a bridge are deleted.
  await t.test('NetworkManager crashes during the rollback of a change that waits for confirmation', async (t) => {
    t.match(await node.run('microshift-net bridge add eth1 --confirm-timeout 60'), { exitCode: 0 });
    t.strictSame(await listOn(node), [], 'the list of bridges for the next boot is empty');
    const undo = node.start('microshift-net undo');
    await undo.saw('returning: wait until eth1 has ');
    await node.text('systemctl kill --kill-whom=main --signal=KILL NetworkManager');
    const ended = await undo.ended;
    t.match(ended, { exitCode: 0 }, ended.stderr);
    t.strictSame(await pictureLike(node, untouched), untouched, 'the node is in its old state');
  });

  await t.test('a change lasts if it is confirmed', async (t) => {
    await node.text('microshift-net bridge add eth1 --confirm-timeout 60; microshift-net confirm');
    t.match(await listOn(node), [{ bridge: 'breth1', interface: 'eth1' }]);
    t.match(await node.run('microshift-net undo'), { exitCode: 0 });
    t.strictSame(await pictureLike(node, untouched), untouched);
    t.strictSame(await listOn(node), [], 'undo removes the bridge from the list too');
  });

  await t.test('beside br-ex', (t) => isBesideBrEx(t, node));
});

/** Tests `bridge add` on a node without bridges that gets the unit of br-ex, and `disable`. */
async function isBesideBrEx(t: Test, node: TestNode): Promise<void> {
  await node.write('/etc/microshift/ovn.yaml', 'uplink: eth0\n');
  const units = 'microshift-ovs-init.service microshift-net-recover.service';
  await node.text(`systemctl enable --quiet ${units}; systemctl start microshift-ovs-init.service`);
  const without = await node.state();
  const run = await node.measure('microshift-net bridge add eth1 --name lan1');
  t.match(run, { exitCode: 0 });
  reachable(t, run);
  t.match(await node.run('microshift-net verify'), { exitCode: 0 }, 'a node with lan1 is in the desired state');

  await node.text('touch /root/cable-out');
  await node.reboot();
  await node.text('systemctl start microshift-ovs-init.service microshift-net-bridges.service');
  t.strictSame(await bridgesOf(node), ['br-ex'], 'br-ex is built although eth1 has no cable');
  t.match(await node.run('microshift-net bridge list'), {
    exitCode: 3,
    stderr: /lan1 is left out: eth1 has no carrier/,
  });
  await node.text(`rm /root/cable-out; ip netns exec lan ip link set peth1 up; ${untilPort('eth1')}`);
  const after = await node.state();
  t.strictSame(after.bridges(), ['br-ex', 'lan1']);
  areSame(t, after.addressesOf('lan1'), without.addressesOf('eth1'), 'lan1 is built when the cable is plugged in');
  areSame(t, after.addressesOf('br-ex'), without.addressesOf('br-ex'), 'br-ex has the same addresses');
  await node.text('kill -STOP $(pidof ovs-vswitchd)');
  t.match(
    await node.run('microshift-net bridge list'),
    { exitCode: 5, stderr: /ovs-vswitchd does not respond: .*systemctl restart/ },
    'bridge list reports that ovs-vswitchd hangs',
  );
  await node.text('kill -CONT $(pidof ovs-vswitchd)');

  t.match(await node.run('microshift-net bridge remove eth1'), { exitCode: 0 });
  areSame(t, await bridgesOf(node), ['br-ex'], 'br-ex stays');
  t.match(await node.run('microshift-net bridge add eth1 && microshift-net disable'), {
    exitCode: 0,
    stderr: /breth1, which `bridge add` made for eth1, stays; .*disable --all/,
  });
  t.strictSame(await bridgesOf(node), ['breth1'], 'disable removes only br-ex');
  t.match(await node.run('microshift-net bridge list'), { exitCode: 0 });
  t.match(await node.run('microshift-net disable'), { exitCode: 0, stdout: /Nothing to do: the agent has no br-ex/ });
  t.match(await node.run('microshift-net disable --all'), {
    exitCode: 0,
    stderr: /breth1.* is removed, and so is its record/,
  });
  t.strictSame(await bridgesOf(node), []);
  t.equal(await node.read(listFile), null, 'disable --all removes the list of bridges');
  await node.text('rm /etc/microshift/ovn.yaml; nmcli device disconnect eth1');
  t.match(await node.run('microshift-net bridge add eth0'), { exitCode: 2, stderr: /br-ex needs eth0.*--force/ });
  t.match(await node.run('microshift-net bridge add eth0 --force --dry-run'), {
    exitCode: 0,
    stdout: /^Changes .*\n\+ bridge breth0: with the uplink eth0/,
  });
  t.strictSame(await bridgesOf(node), [], 'a preview changes nothing');
}

async function bridgesOf(node: TestNode): Promise<string[]> {
  return (await node.text('ovs-vsctl list-br')).split('\n').filter(Boolean).sort();
}

async function isReturned(t: Test, node: TestNode, name: string): Promise<void> {
  const run = await node.measure(`microshift-net bridge remove ${name}`);
  t.match(run, { exitCode: 0, stdout: /committed/ });
  t.comment(`${name}: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
  reachable(t, run);
}
