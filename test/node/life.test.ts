// The life of a node: changes of ovn.yaml and of the administrator's profiles, a late router, reboots and power cuts.
import t, { type Test } from 'tap';
import { nodeSkip } from './availability.ts';
import { ownProfiles } from './moved.ts';
import { bootNode, type MeasuredRun, type TestNode } from './node.ts';
import { stayedReachable } from './reachability.ts';
import { lostDefaultRoutes, recordedNews, recordNews } from './recorded-news.ts';

const unit = 'microshift-ovs-init.service';
const [first, second] = ['192.0.2.50', '203.0.113.50'];
/** Address of a br-ex without a NIC. */
const withoutNic = '10.44.0.0/32';
const configuration = '/etc/microshift/ovn.yaml';

/** A NIC with a fixed IPv4 address and a router that answers only when the test calls `router`. */
const lateRouter = `IP6='' GW6=''
lan() { nic eth0; lan_ip lan0 192.0.2.1/24 2001:db8::1/64; }
profiles() { eth_profile eth0 <<< $'[ipv4]\\nmethod=manual\\naddress1=192.0.2.50/24\\n[ipv6]\\nmethod=auto\\naddr-gen-mode=stable-privacy'; }
before_cmd() { :; }`;

t.test('a router that answers after the unit of the boot has run', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'late-ra', lanAppend: lateRouter, kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const address = async (device: string): Promise<string> => {
    await node.callLan('router');
    const shown = `ip -6 -oneline address show dev ${device} scope global`;
    await node.text(`timeout 60 sh -c 'until ${shown} | grep -v tentative | grep -q 2001:; do sleep 0.1; done'`);
    return node.text(`${shown} | sed 's/.*inet6 \\([^ ]*\\).*/\\1/'`);
  };
  const before = await address('eth0');
  const run = await node.run('systemctl enable microshift-ovs-init; microshift-net apply');
  t.equal(run.exitCode, 0, run.stderr);
  t.equal(await address('br-ex'), before, 'br-ex has the stable-privacy address of eth0');
  await node.reboot();
  await node.text(`timeout 60 sh -c 'until microshift-net verify > /dev/null; do sleep 0.2; done'`);
  t.equal(await node.text('ip -6 address show dev br-ex scope global'), '', 'the router has not answered yet');
  t.equal(await address('br-ex'), before, 'br-ex has the same address afterwards');
  t.equal((await node.run('microshift-net disable')).exitCode, 0);
  t.equal(await node.read('/var/lib/microshift-net/uplink.json'), null, 'disable removes the record');
  t.equal(await address('eth0'), before, 'the NIC gets the same address again');

  await t.test('the router has just answered when each command begins', async (t) => {
    await node.text(
      `nmcli connection up eth0; timeout 60 sh -c 'until ip -6 route show default dev eth0 | grep -q via; do sleep 0.1; done'`,
    );
    await recordNews(node);
    const both = await node.run('microshift-net apply && microshift-net disable');
    t.equal(both.exitCode, 0, both.stderr);
    t.strictSame(lostDefaultRoutes(await recordedNews(node)), [], 'the node always has an IPv6 default route');
  });
});

t.test('a node whose configuration changes', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'two-nics-metric',
    kernel: 'of this machine',
    enableUnit: true,
    files: { [configuration]: '# uplink: auto\n' },
  });
  t.teardown(() => node.halt());
  const profiles = (await node.state()).profileNames().filter((name) => !ownProfiles.includes(name));
  await isOn(t, node, { 'br-ex': [second], eth0: [first], eth1: [] }, 'with the NIC that has the better route');

  await t.test('ovn.yaml names the other NIC', async (t) => {
    await changeTo(t, node, 'uplink: eth0\n');
    await isOn(t, node, { 'br-ex': [first], eth0: [], eth1: [second] });
    await node.reboot();
    await isOn(t, node, { 'br-ex': [first], eth0: [], eth1: [second] }, 'after a reboot');
  });

  await t.test('ovn.yaml requests a bridge without a NIC', async (t) => {
    const run = await changeTo(t, node, 'uplink: none\n');
    stayedReachable(t, run, [first]);
    await isOn(t, node, { 'br-ex': [withoutNic], eth0: [first], eth1: [second] });
    t.equal((await node.state()).link('br-ex')?.mac, '0a:59:00:00:00:01');
    await node.powerCut();
    await isOn(t, node, { 'br-ex': [withoutNic], eth0: [first], eth1: [second] }, 'after a power cut');
  });

  await t.test('ovn.yaml names a NIC again', async (t) => {
    const run = await changeTo(t, node, 'uplink: eth0\n');
    stayedReachable(t, run, [first]);
    await isOn(t, node, { 'br-ex': [first], eth0: [], eth1: [second] });
  });

  await t.test('the administrator edits the profile of the NIC', async (t) => {
    await node.text('nmcli connection modify eth0 +ipv4.addresses 192.0.2.60/24 ipv4.dns-search new.example');
    const run = await node.measure('microshift-net apply');
    t.equal(run.exitCode, 0, run.stderr);
    stayedReachable(t, run, [first]);
    await isOn(t, node, { 'br-ex': [first, '192.0.2.60'], eth0: [], eth1: [second] }, 'after apply');
    t.match((await node.state()).file('/etc/resolv.conf'), /new\.example/);
    await node.text('nmcli connection modify eth0 -ipv4.addresses 192.0.2.60/24; sync');
    await node.powerCut();
    await isOn(t, node, { 'br-ex': [first], eth0: [], eth1: [second] }, 'after a boot with the edited profile');
  });

  await t.test('disable returns both NICs to their own profiles', async (t) => {
    const run = await node.measure('microshift-net disable');
    t.equal(run.exitCode, 0, run.stderr);
    stayedReachable(t, run, [first]);
    const state = await node.state();
    t.strictSame(state.bridges(), []);
    t.strictSame(state.profileNames().toSorted(), profiles.toSorted());
    t.strictSame(state.addressesOf('eth0'), [`${first}/24`]);
    t.match(state.defaultRoutes(4), [{ dev: 'eth1' }, { dev: 'eth0' }]);
  });
});

async function changeTo(t: Test, node: TestNode, text: string): Promise<MeasuredRun> {
  await node.write(configuration, text);
  const repair = await node.run('microshift-net apply --repair');
  t.match(repair, { exitCode: 0, stdout: /^Nothing to do/ }, 'a repair does not use the changed file');
  const run = await node.measure('microshift-net apply');
  t.equal(run.exitCode, 0, run.stderr);
  t.comment(`${text.trim()}: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
  return run;
}

/** Runs the unit, and asserts that every device has these addresses, and that `verify` finds no drift. */
async function isOn(t: Test, node: TestNode, wanted: Record<string, string[]>, when = 'now'): Promise<void> {
  await node.text(`systemctl start ${unit} || { journalctl -b --no-pager -u ${unit}; exit 1; }; sync`);
  await node.ready();
  const state = await node.state();
  for (const [device, addresses] of Object.entries(wanted))
    t.strictSame(
      state.addressesOf(device).toSorted(),
      addresses.map((address) => (address.includes('/') ? address : `${address}/24`)).toSorted(),
      `${device} ${when}`,
    );
  t.match(await node.run('microshift-net verify'), { exitCode: 0 }, `no drift ${when}`);
}
