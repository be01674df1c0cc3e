// microshift-net beside MicroShift's own packages on a running node: the owner of the unit, updates of MicroShift, a
// reboot, and the removal.
import path from 'node:path';
import t, { type Test } from 'tap';
import { nodeSkip } from '../node/availability.ts';
import { managedVeths, microshiftStandInInUserspace } from '../node/microshift-stand-in.ts';
import { hasMoved } from '../node/moved.ts';
import { bootNode, type TestNode } from '../node/node.ts';
import { stayedReachable } from '../node/reachability.ts';
import { untilWanted } from '../node/until-wanted.ts';
import { buildPackage, packagesFolder, rpmSkip } from './build-package.ts';
import { buildStandIns, microshiftPackages, type StandIn } from './stand-ins.ts';

const unit = 'microshift-ovs-init.service';
// The test node's packages are installed by dpkg, so rpm does not know the dependencies.
const rpm = 'rpm --nodeps';

/**
 * Stand-in for RHEL's kdump.service with the same order: if the agent's unit had Before=network-online.target, systemd
 * would have to break a cycle.
 */
const kdump = `[Unit]
After=network.target network-online.target remote-fs.target basic.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/true
[Install]
WantedBy=multi-user.target
`;

/** Drop-in with a short limit, because NetworkManager would wait a minute for router advertisements. */
const soonOnline = '[Service]\nEnvironment=NM_ONLINE_TIMEOUT=2\n';

/**
 * Settings of RHEL's units of Open vSwitch that Debian's units lack: if one of them is stopped, the other one stops
 * too.
 */
const withDatabase = '[Unit]\nRequires=ovsdb-server.service\nAfter=ovsdb-server.service\nPartOf=openvswitch.service\n';
const withOpenVswitch = '[Unit]\nPartOf=openvswitch.service\n';
/**
 * Effect of microshift-cleanup-data --ovn on the node's network. The socket exists only on Debian, and would start the
 * database again.
 */
const cleanUp = `systemctl stop microshift; systemctl stop ovsdb-server.service ovsdb-server.socket
  pkill -9 -x ovn-controller; rm -rf /run/ovn`;
const stopped = 'systemctl is-active ovsdb-server ovs-vswitchd openvswitch | sort -u';

/** Returns a stand-in whose scripts make bridges with the userspace data path. */
function inUserspace(one: StandIn): StandIn {
  const files = Object.entries(one.files ?? {}).map(([file, text]) => [
    file,
    microshiftStandInInUserspace[file] ?? text,
  ]);
  return { ...one, files: Object.fromEntries(files) };
}

t.test('beside MicroShift', { skip: nodeSkip || rpmSkip }, async (t) => {
  const folder = packagesFolder(t);
  const ours = path.basename(buildPackage('0.2.0', folder));
  for (const version of ['5.0.0', '5.0.1'])
    buildStandIns(path.join(folder, version), microshiftPackages(version).map(inUserspace));
  const node = await bootNode({
    lan: 'dhcp',
    bare: true,
    kernel: 'of this machine',
    folders: { '/root/packages': folder },
    files: {
      ...managedVeths,
      '/usr/lib/systemd/system/kdump.service': kdump,
      '/etc/systemd/system/NetworkManager-wait-online.service.d/soon.conf': soonOnline,
      '/etc/systemd/system/ovs-vswitchd.service.d/rhel.conf': withDatabase,
      '/etc/systemd/system/ovsdb-server.service.d/rhel.conf': withOpenVswitch,
    },
  });
  t.teardown(() => node.halt());
  await node.text(`${rpm} -i /root/packages/5.0.0/*.rpm && systemctl enable microshift kdump`);
  await node.ready();
  const before = await node.state();

  await t.test('after the installation, the unit of MicroShift runs the agent', async (t) => {
    await quiet(t, node, `${rpm} -i /root/packages/${ours}`);
    t.equal(await node.text('rpm -Va --nodeps microshift\\* || true'), '', 'no packaged file is changed or missing');
    t.match(await node.text(`systemctl show -P FragmentPath,DropInPaths ${unit}`), '50-microshift-net.conf');
    await runsOurs(t, node);
    await quiet(t, node, 'systemctl start microshift');
    hasMoved(t, before, await node.state());
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    for (const daemon of ['ovs-vswitchd', 'ovsdb-server'])
      t.equal(
        await node.text(`systemctl show -P CPUAffinity ${daemon}`),
        '0',
        `${daemon}: two equal drop-ins have the effect of one`,
      );
    for (const id of ['unit', 'unit-order', 'kdump']) {
      const finding = await findingOf(node, id);
      t.equal(finding?.verdict, 'ok', `doctor: ${id}: ${finding?.found}`);
    }
  });

  await t.test("ovn.yaml decides the daemons' CPUs, whatever MicroShift's drop-in says", async (t) => {
    await node.write('/etc/microshift/ovn.yaml', 'ovs:\n  datapathType: netdev\n  cpuAffinity: none\n');
    t.equal((await node.run('microshift-net ovs tune')).exitCode, 0);
    t.equal(await node.text('systemctl show -P CPUAffinity ovs-vswitchd'), '');
    await node.write('/etc/microshift/ovn.yaml', '');
    await node.text('microshift-net ovs tune');
    t.equal(await node.text('systemctl show -P CPUAffinity ovs-vswitchd'), '0');
  });

  for (const version of ['5.0.1', '5.0.0']) {
    await t.test(`MicroShift ${version} is installed while br-ex is in use, and restarts NetworkManager`, async (t) => {
      await quiet(t, node, `${rpm} -U --oldpackage /root/packages/${version}/*.rpm`);
      t.equal(await node.text('rpm -q --qf "%{VERSION}" microshift-networking'), version);
      await runsOurs(t, node);
      await asWanted(t, node);
      hasMoved(t, before, await node.state());
    });
  }

  await t.test('a restart of MicroShift and of the units that it requires', async (t) => {
    await quiet(t, node, 'systemctl restart microshift');
    await quiet(t, node, 'systemctl restart NetworkManager');
    await asWanted(t, node);
    hasMoved(t, before, await node.state());
  });

  await t.test('after a reboot MicroShift has started the unit, in an order without a cycle', async (t) => {
    await node.reboot();
    await node.text('systemctl start microshift');
    await node.ready();
    hasMoved(t, before, await node.state());
    t.notMatch(await node.text('journalctl -b --no-pager | grep -i "ordering cycle" || true'), /cycle/);
    t.notMatch(await node.text('microshift-net history'), /disable/, 'no NIC is returned when the machine shuts down');
    const order = `systemctl show -P ExecMainStartTimestampMonotonic kdump ${unit} microshift | grep .`;
    const [first = 0, second = 0, third = 0] = (await node.text(order)).split('\n').map(Number);
    t.ok(first > 0 && first < second && second < third, `kdump, ${unit}, MicroShift: ${first} ${second} ${third}`);
  });

  await t.test("MicroShift's clean-up stops Open vSwitch: the NIC is returned until it runs again", async (t) => {
    const hint = await node.read('/var/lib/ovnk/iface_default_hint');
    await node.write('/etc/microshift/ovn.yaml', 'uplink: none\n');
    t.match(await node.run('microshift-net apply --confirm-timeout 300'), { exitCode: 0 });
    await node.write('/etc/microshift/ovn.yaml', '');
    await quiet(t, node, cleanUp);
    t.match(await node.text('ip -brief address show dev eth0'), ' 192.0.2.50/24');
    t.equal((await node.run(stopped)).stdout, 'inactive\n');
    t.equal(await node.read('/var/lib/ovnk/iface_default_hint'), hint, 'the hint file for the next start is unchanged');
    const again = `systemctl start openvswitch; timeout 110 sh -c 'until systemctl is-active ${unit}; do sleep 0.5; done'`;
    await quiet(t, node, again);
    hasMoved(t, before, await node.state());
    const runs = await node.text('systemctl start microshift; microshift-net history');
    t.match(runs, / reverted +apply /, 'the change that waited for confirmation is rolled back');
    await node.text(`systemctl restart ovsdb-server; systemctl start ${unit}`);
    await asWanted(t, node);
    t.equal(await node.text('microshift-net history'), runs, 'a restart of ovsdb-server returns no NIC');
  });

  await t.test("MicroShift's own script has run over br-ex", async (t) => {
    const own = `/etc/systemd/system/${unit}.d`;
    await node.text('bash /usr/bin/configure-ovs.sh');
    await node.ready();
    await asWanted(t, node);
    hasMoved(t, before, await node.state());
    for (const [what, command] of [
      ['masks the drop-in of the package', `ln -s /dev/null ${own}/50-microshift-net.conf`],
      [
        'runs the script by another drop-in',
        `printf '[Service]\\nExecStart=\\nExecStart=/bin/bash /usr/bin/configure-ovs.sh\\n' > ${own}/60-own.conf`,
      ],
    ]) {
      await node.text(`mkdir ${own}; ${command}; systemctl daemon-reload; rm -r ${own}`);
      const finding = await findingOf(node, 'unit');
      t.equal(finding?.verdict, 'failed', `an administrator ${what}`);
      t.match(finding?.found.join(), 'does not run microshift-net', `an administrator ${what}: ${finding?.found}`);
    }
    await node.text('systemctl stop microshift-net-event.path microshift-net-repair.path microshift-net-uplink.path');
    await node.text(`systemctl restart ${unit}`);
    t.equal(
      (await node.run('microshift-net verify')).exitCode,
      3,
      'without a unit that monitors br-ex, the node is not in the desired state',
    );
    await node.text(`systemctl daemon-reload; systemctl restart ${unit}`);
    await node.ready();
    hasMoved(t, before, await node.state());
    t.equal((await findingOf(node, 'unit'))?.verdict, 'ok');
    await node.text('systemctl start microshift-net-event.path microshift-net-repair.path microshift-net-uplink.path');
  });

  await t.test("after the removal of the package, MicroShift's own unit succeeds", async (t) => {
    await quiet(t, node, `${rpm} -e microshift-net`);
    t.equal(
      await node.text('rpm -Va --nodeps microshift\\* || true'),
      '',
      "no file of MicroShift's packages is changed or missing",
    );
    t.match(await node.text('ovs-vsctl get Bridge br-ex other_config:hwaddr'), '0a:59:00:00:00:01');
    t.strictSame((await node.state()).interfacesOf('br-ex'), ['br-ex'], 'br-ex has no NIC, as MicroShift makes it');
    t.match(await node.text(`systemctl cat ${unit}`), 'ExecStart=/bin/bash /usr/bin/configure-ovs.sh');
    await quiet(t, node, `systemctl start ${unit}`);
    t.match(await node.text('ovs-vsctl get Bridge br-ex other_config:hwaddr'), '0a:59:00:00:00:01');
    t.strictSame((await node.state()).addressesOf('eth0'), ['192.0.2.50/24']);
  });

  await t.test('a second installation moves the NIC into the br-ex that MicroShift has made', async (t) => {
    const uuid = await node.text('ovs-vsctl get Bridge br-ex _uuid');
    await quiet(t, node, `${rpm} -i /root/packages/${ours} && systemctl restart ${unit}`);
    hasMoved(t, before, await node.state());
    t.equal(await node.text('ovs-vsctl get Bridge br-ex _uuid'), uuid);
  });
});

interface DoctorFinding {
  readonly id: string;
  readonly verdict: string;
  readonly found: readonly string[];
}

/** Returns the result of one of doctor's checks. */
async function findingOf(node: TestNode, id: string): Promise<DoctorFinding | undefined> {
  const doctor = await node.text('microshift-net doctor --output json || true');
  return (JSON.parse(doctor) as { checks: DoctorFinding[] }).checks.find((entry) => entry.id === id);
}

async function runsOurs(t: Test, node: TestNode): Promise<void> {
  const runs = await node.text(`systemctl show -P ExecStart ${unit}`);
  t.match(runs, 'path=/usr/bin/microshift-net ; argv[]=/usr/bin/microshift-net apply --boot');
  t.notMatch(runs, 'configure-ovs');
}

/** Runs a command that must not interrupt the node's network. */
async function quiet(t: Test, node: TestNode, command: string): Promise<void> {
  const run = await node.measure(command);
  t.equal(run.exitCode, 0, `${command}: ${run.stderr}`);
  stayedReachable(t, run, Object.keys(run.outageMs));
}

/** Asserts that the agent restores the desired state by itself. */
async function asWanted(t: Test, node: TestNode): Promise<void> {
  const verify = await node.run(untilWanted());
  t.equal(verify.exitCode, 0, (await node.read('/run/drift')) ?? '');
}
