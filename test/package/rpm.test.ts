// The package on a running node: its listed files are compared with the running system; then upgrade, reboot and
// removal.

import path from 'node:path';
import t, { type Test } from 'tap';
import { watchUnits } from '../../agent/model/units.ts';
import { type MessageKind, messageTable } from '../../agent/run/messages.ts';
import { armFault, letGoOfRun } from '../node/armed-fault.ts';
import { nodeSkip } from '../node/availability.ts';
import { everyPingAnswered } from '../node/every-ping.ts';
import { followJournal } from '../node/follow-journal.ts';
import { hasMoved } from '../node/moved.ts';
import { bootNode, type TestNode } from '../node/node.ts';
import type { NodeState } from '../node/state.ts';
import { buildPackages, packagesFolder, rpmSkip } from './build-package.ts';

const unit = 'microshift-ovs-init.service';
// The test node's packages are installed by dpkg, so rpm does not know the dependencies.
const rpm = 'rpm --nodeps';
const pluginDirectories = ['/opt/cni/bin', '/run/cni/bin'];
const pids = 'cat /run/openvswitch/*.pid; pidof NetworkManager';
const wait = 'flow-restore-wait';
const failed = 'systemctl --failed --no-legend --plain | grep -v testnode || true';

t.test('the package', { skip: nodeSkip || rpmSkip }, async (t) => {
  const folder = packagesFolder(t);
  buildPackages('0.2.0', path.join(folder, 'first'), '5.0.0');
  buildPackages('0.2.1', path.join(folder, 'second'), '5.0.1');
  const node = await bootNode({
    lan: 'dhcp',
    bare: true,
    kernel: 'of this machine',
    folders: { '/root/packages': folder },
  });
  t.teardown(() => node.halt());
  let before: NodeState = await node.state();
  // The test node selects the data path with this file, which no package may create.
  const ovnYaml = '/etc/microshift/ovn.yaml';
  await node.text(`rm ${ovnYaml}`);
  const etc = await node.text('find /etc ! -type d ! -path /etc/resolv.conf | sort');

  const failedBefore = await node.text(failed);

  await t.test('installs on a running node without touching its network', async (t) => {
    // State that some releases of ovn-controller leave for the next start (docs/decisions/0050).
    await node.text(
      `ovs-vsctl set Open_vSwitch . external_ids:ovn-managed-flow-restore-wait=true other_config:${wait}=true`,
    );
    await node.text('systemctl disable --now openvswitch ovs-vswitchd ovsdb-server');
    const run = await unnoticed(t, node, `${rpm} -i /root/packages/first/*.noarch.rpm`);
    t.comment(run);
    t.equal(await node.text(failed), failedBefore);
    before = await node.state();
    t.strictSame(before.interfacesOf('br-ex'), [], 'the installation makes no br-ex');
  });

  await t.test('services', async (t) => {
    t.equal(await node.text('systemctl is-enabled openvswitch'), 'enabled');
    t.equal(await node.text('systemctl is-active openvswitch ovs-vswitchd ovsdb-server | sort -u'), 'active');
    t.equal(
      await node.text(`ovs-vsctl --if-exists get Open_vSwitch . other_config:${wait}`),
      '',
      'ovs-vswitchd forwards packets at once, and does not wait for ovn-controller',
    );
    const enabled = [
      'microshift-net-recover.service',
      'microshift-net-overlay.service',
      'microshift-net-bridges.service',
      ...watchUnits,
    ];
    for (const name of [unit, ...enabled]) {
      t.equal(await node.text(`systemctl is-enabled ${name}`), 'enabled', name);
      t.equal((await node.run(`systemd-analyze verify --man=no ${name}`)).exitCode, 0, name);
    }
  });

  await t.test('drop-ins', async (t) => {
    for (const daemon of ['ovs-vswitchd', 'ovsdb-server']) {
      const paths = await node.text(`systemctl show -P DropInPaths ${daemon}`);
      t.match(paths, `/usr/lib/systemd/system/${daemon}.service.d/microshift-net-cpuaffinity.conf`);
      t.equal(await node.text(`systemctl show -P CPUAffinity ${daemon}`), '0');
      t.equal(
        await node.text(
          `grep -h Cpus_allowed_list /proc/$(cat /run/openvswitch/${daemon}.pid)/task/*/status | cut -f 2 | sort -u`,
        ),
        '0',
      );
    }
    t.equal(
      await node.text('grep VmLck /proc/$(cat /run/openvswitch/ovs-vswitchd.pid)/status | tr -dc 0-9'),
      '0',
      'no memory is locked',
    );
    t.match(
      await node.text('ovs-vsctl get Open_vSwitch . other_config'),
      /n-handler-threads="1", n-revalidator-threads="1"/,
    );
  });

  await t.test('files and settings', async (t) => {
    const config = await node.text('NetworkManager --print-config');
    t.match(config, /microshift-nm\.conf/);
    t.match(config, /plugins=keyfile/);
    t.match(config, /unmanaged-devices=.*interface-name:ovn-k8s-\*/);
    t.equal(
      await node.text('rpm -V --nodeps microshift-net microshift-networking || true'),
      '',
      'no packaged file is changed or missing',
    );
    t.match(await node.run('microshift-net config check /usr/share/microshift-net/ovn.yaml.default'), { exitCode: 0 });
    t.equal(await node.read(ovnYaml), null, 'the package does not create ovn.yaml');
    t.match(await node.run('configure-ovs.sh'), { exitCode: 2, stderr: /OVNKubernetes.*OpenShiftSDN/ });
    t.match(
      await node.text('for i in 5/ovn.yaml.5 8/microshift-net.8; do ls /usr/share/man/man$i*; done'),
      /microshift-net\.8/,
    );
  });

  await t.test('container runtimes find the CNI plug-in', async (t) => {
    for (const directory of pluginDirectories)
      t.match(await node.run(`CNI_COMMAND=VERSION ${directory}/microshift-net-cni < /dev/null`), {
        stdout: /"1\.1\.0"/,
      });
  });

  await t.test('the former name of the script moves the NIC', async (t) => {
    await node.write(ovnYaml, '');
    const run = await node.run('configure-ovs-microshift.sh');
    t.match(run, { exitCode: 0, stdout: /Done: transaction/ });
    hasMoved(t, before, await node.state());
  });

  await t.test('the check of greenboot fails only if the uplink cannot be restored', async (t) => {
    const check = '/usr/lib/greenboot/check/required.d/39_microshift_net_check.sh';
    t.equal((await node.run(check)).exitCode, 0);
    await node.text('ovs-vsctl set Open_vSwitch . other_config:n-handler-threads=7');
    t.equal((await node.run(check)).exitCode, 0, 'wrong tuning of Open vSwitch does not fail the check');
    await node.text('microshift-net apply');
    await node.text('systemctl stop microshift-net-uplink.path; ovs-vsctl del-port br-ex eth0');
    t.equal((await node.run(check)).exitCode, 0, 'the check restores the uplink');
    hasMoved(t, before, await node.state());
    await node.write(ovnYaml, 'uplink: [\n');
    t.match(await node.run(check), { exitCode: 1, stderr: /not as it was made: .*ovn\.yaml/s });
    await node.write(ovnYaml, '');
    await node.text('systemctl start microshift-net-uplink.path');
    t.equal((await node.run(check)).exitCode, 0);
    hasMoved(t, before, await node.state());
  });

  for (const [what, command, version] of [
    ['an upgrade', '-U /root/packages/second/*.noarch.rpm', '0.2.1'],
    ['a downgrade', '-U --oldpackage /root/packages/first/*.noarch.rpm', '0.2.0'],
  ] as const) {
    await t.test(`${what} interrupts no packet and restarts no process`, async (t) => {
      const running = await node.text(pids);
      await unnoticed(t, node, `${rpm} ${command}`);
      t.equal(await node.text('rpm -q --qf "%{VERSION}" microshift-net'), version);
      t.equal(await node.text(pids), running, 'no process was restarted');
      t.equal(
        await node.text('rpm -V --nodeps microshift-net microshift-networking || true'),
        '',
        'no packaged file is changed or missing',
      );
      hasMoved(t, before, await node.state());
    });
  }

  await t.test('after a reboot the node is on br-ex', async (t) => {
    await node.reboot();
    await node.text(`systemctl start ${unit} || { journalctl -b --no-pager -u ${unit}; exit 1; }`);
    await node.ready();
    hasMoved(t, before, await node.state());
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
  });

  await t.test('the journal has the result of the unit, with an id and an explanation', async (t) => {
    const entries = async (kind: MessageKind): Promise<Record<string, string>[]> =>
      (await node.text(`journalctl --sync; journalctl -b -u ${unit} -o json MESSAGE_ID=${messageTable[kind].id}`))
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    const [committed, ...more] = await entries('committed');
    t.strictSame(more, [], 'the transaction has one entry');
    t.match(committed, {
      MESSAGE: /^Done: transaction \S+ committed\.$/,
      PRIORITY: '5',
      SYSLOG_IDENTIFIER: 'microshift-net',
    });
    t.equal(committed?.MESSAGE, `Done: transaction ${committed?.MICROSHIFT_NET_TX} committed.`);
    t.match(
      await node.text(`journalctl -b -x -u ${unit}`),
      `Subject: The network was changed: transaction ${committed?.MICROSHIFT_NET_TX}`,
    );
    t.notMatch(await node.text(`journalctl -b -u ${unit} -o cat`), /^<\d>/m, 'no message shows its priority');

    t.match(await node.run('configure-ovs.sh OVNKubernetes'), { exitCode: 0, stdout: /^Nothing to do/ });
    t.equal((await node.run('configure-ovs.sh OpenShiftSDN')).exitCode, 0);
    t.strictSame(
      (await node.state()).bridges(),
      [],
      'the former argument for a node without a bridge removes the bridge',
    );
    await armFault(node, 'after step 5', 'hold');
    const watch = await followJournal(node, `-u ${unit}`);
    const start = node.start(`systemctl restart ${unit}`);
    await watch.saw('armed fault: held after step 5');
    await node.text(`systemctl stop ${unit}; ${letGoOfRun}`);
    await start.ended;
    await watch.signal('SIGINT');
    const [rolledBack] = await entries('rolled-back');
    t.match(rolledBack, { PRIORITY: '3', MICROSHIFT_NET_ERROR: 'interrupted', MICROSHIFT_NET_TX: /^\d{8}T/ });
    t.match(
      await node.text('microshift-net history'),
      new RegExp(`^${rolledBack?.MICROSHIFT_NET_TX} +rolled-back`, 'm'),
    );

    await node.write(ovnYaml, 'mtuu: 1400\nuplinc: eth0\n');
    const lateJournal = `pkill -STOP -x systemd-journal; systemctl start ${unit}; code=$?; pkill -CONT -x systemd-journal; exit $code`;
    t.equal(
      (await node.run(lateJournal)).exitCode,
      1,
      'journald accepts the entry after all processes of the unit have ended',
    );
    const [refused] = await entries('configuration-refused');
    t.match(refused, { PRIORITY: '3', MESSAGE: /ovn\.yaml:1:1.*mtuu[\s\S]*ovn\.yaml:2:1.*uplinc/ });
    t.notOk(refused !== undefined && 'MICROSHIFT_NET_TX' in refused, 'the entry names no transaction');
    await node.write(ovnYaml, '');
    await node.text(`systemctl reset-failed; systemctl start ${unit}`);
    await node.ready();
    hasMoved(t, before, await node.state());
  });

  await t.test('without running services, a hook does only safe work', async (t) => {
    const run = await node.run(
      'mkdir /mnt/image && mount --bind / /mnt/image && chroot /mnt/image microshift-net hook post-install',
    );
    t.match(run, { exitCode: 0, stderr: /no service is started or notified; the rest happens when the node boots/ });
    t.match(await node.run('chroot /mnt/image microshift-net hook pre-uninstall; umount /mnt/image'), { exitCode: 0 });
    hasMoved(t, before, await node.state());
  });

  await t.test('hooks name a missing part and end with 0', async (t) => {
    await node.text('systemctl mask --now NetworkManager && mv /usr/share/openvswitch/scripts/ovs-ctl /root/');
    const run = await node.run('microshift-net hook post-install');
    t.match(run, {
      exitCode: 0,
      stderr: /could not let NetworkManager read its configuration again: NetworkManager is not running/,
    });
    await node.text(
      'mv /root/ovs-ctl /usr/share/openvswitch/scripts/ && systemctl unmask NetworkManager && systemctl start NetworkManager; systemctl reset-failed',
    );
    // The start of NetworkManager has started a repair, which would read the broken file; the test waits for its end.
    await node.text('systemctl start microshift-net-repair');
    await node.write(ovnYaml, 'uplink: [\n');
    const broken = await node.run('microshift-net hook post-upgrade');
    await node.write(ovnYaml, '');
    t.match(broken, { exitCode: 0, stderr: /ovn\.yaml.*the defaults are used/ });
    await node.text(`systemctl restart ${unit}`);
    await node.ready();
  });

  await t.test('the removal returns the NIC to its own profile and leaves no file', async (t) => {
    await node.text(
      'mkdir -p /etc/cni/net.d; echo "{}" | tee /etc/cni/net.d/10-microshift-net.conflist > /var/lib/microshift-net/overlay.json',
    );
    const run = await node.measure(`${rpm} -e microshift-networking microshift-net`);
    t.match(run, { exitCode: 0, stderr: /this node stays in its overlay/ });
    t.equal(await node.text('ls /var/lib/microshift-net/overlay.json'), '/var/lib/microshift-net/overlay.json');
    t.comment(`uninstall: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
    const after = await node.state();
    t.strictSame(after.addressesOf('eth0'), ['192.0.2.50/24']);
    t.strictSame(after.bridges(), []);
    t.strictSame(
      after.data.profiles.map((profile) => profile.name).filter((name) => /br-ex|phys0/.test(name)),
      [],
    );
    t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . other_config'), /threads/);
    await node.text(`rm ${ovnYaml}`);
    t.equal(await node.text('find /etc ! -type d ! -path /etc/resolv.conf | sort'), etc);
    t.equal(await node.text('systemctl show -P CPUAffinity ovs-vswitchd'), '');
    t.equal(await node.text(failed), '');
    t.equal(await node.text(`ls ${pluginDirectories.join(' ')} 2> /dev/null || true`), '');
  });
});

/**
 * Runs a command during which no packet may be lost: replies can be late on a busy machine, but none may be missing.
 */
async function unnoticed(t: Test, node: TestNode, command: string): Promise<string> {
  const ping = node.start('ip netns exec lan ping -n -i 0.02 -W 2 192.0.2.50 > /run/testnode/ping');
  const run = await node.run(command);
  await ping.signal('SIGINT');
  await ping.ended;
  t.equal(run.exitCode, 0, run.stderr);
  everyPingAnswered(t, await node.read('/run/testnode/ping'));
  return run.stdout + run.stderr;
}
