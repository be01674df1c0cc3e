// The package on a running node: what its file list promises is looked up in the running system; then upgrade, reboot, uninstall.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import t, { type Test } from 'tap';
import { nodeSkip } from '../node/availability.ts';
import { hasMoved } from '../node/moved.ts';
import { bootNode, type TestNode } from '../node/node.ts';
import type { NodeState } from '../node/state.ts';
import { buildPackage, rpmSkip } from './build-package.ts';

t.setTimeout(420_000);

const unit = 'microshift-ovs-init.service';
const rpmlint = '/usr/bin/rpmlint';
// dpkg keeps the books of this node, so rpm knows of no dependency
const rpm = 'rpm --nodeps';
const pids = 'cat /run/openvswitch/*.pid; pidof NetworkManager';
const failed = 'systemctl --failed --no-legend --plain | grep -v testnode || true';

t.test('rpmlint has nothing to say', { skip: rpmSkip || (!existsSync(rpmlint) && 'rpmlint is not installed') }, (t) => {
  const packages = [buildPackage('0.1.0'), 'rpm/microshift-networking.spec'];
  const { status, stdout } = spawnSync(rpmlint, ['-c', 'rpm/rpmlint.toml', ...packages], { encoding: 'utf8' });
  t.equal(status, 0, stdout);
  t.match(stdout, /0 errors, 0 warnings/);
  t.end();
});

t.test('the package', { timeout: 400_000, skip: nodeSkip || rpmSkip }, async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'packages-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  copyFileSync(buildPackage('0.1.0'), path.join(folder, 'first.rpm'));
  copyFileSync(buildPackage('0.1.1'), path.join(folder, 'second.rpm'));
  const node = await bootNode({ lan: 'dhcp', bare: true, folders: { '/root/packages': folder } });
  t.teardown(() => node.halt());
  let before: NodeState = await node.state();
  const etc = await node.text('find /etc ! -type d ! -path /etc/resolv.conf | sort');

  await t.test('installs on a running node without touching its network', async (t) => {
    await node.text('systemctl disable --now openvswitch ovs-vswitchd ovsdb-server');
    const run = await unnoticed(t, node, `${rpm} -i /root/packages/first.rpm`);
    t.comment(run);
    t.equal(await node.text(failed), '');
    before = await node.state();
    t.strictSame(before.interfacesOf('br-ex'), [], 'br-ex comes when it is asked for');
  });

  await t.test('services', async (t) => {
    t.equal(await node.text('systemctl is-enabled openvswitch'), 'enabled');
    t.equal(await node.text('systemctl is-active openvswitch ovs-vswitchd ovsdb-server | sort -u'), 'active');
    t.equal(await node.text(`systemctl is-enabled ${unit}`), 'enabled');
    t.equal((await node.run(`systemd-analyze verify --man=no ${unit}`)).exitCode, 0);
  });

  await t.test('drop-ins', async (t) => {
    for (const daemon of ['ovs-vswitchd', 'ovsdb-server']) {
      const paths = await node.text(`systemctl show -P DropInPaths ${daemon}`);
      t.match(paths, `/usr/lib/systemd/system/${daemon}.service.d/microshift-cpuaffinity.conf`);
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
    t.equal(await node.text('rpm -V --nodeps microshift-networking || true'), '', 'everything is as it was packed');
    t.match(await node.run('microshift-net config check /etc/microshift/ovn.yaml.default'), { exitCode: 0 });
    t.equal((await node.run('test -e /etc/microshift/ovn.yaml')).exitCode, 1, 'the file of the admin is not made');
    t.match(await node.run('configure-ovs.sh'), { exitCode: 2, stderr: /OVNKubernetes.*OpenShiftSDN/ });
    t.match(
      await node.text('for i in 5/ovn.yaml.5 8/microshift-net.8; do ls /usr/share/man/man$i*; done'),
      /microshift-net\.8/,
    );
  });

  await t.test('the old name of the script moves the NIC', async (t) => {
    const run = await node.run('configure-ovs-microshift.sh');
    t.match(run, { exitCode: 0, stdout: /Done: transaction/ });
    hasMoved(t, before, await node.state());
    t.equal((await node.run('/usr/lib/greenboot/check/required.d/39_microshift_networking_check.sh')).exitCode, 0);
  });

  await t.test('an upgrade goes unnoticed', async (t) => {
    const running = await node.text(pids);
    await unnoticed(t, node, `${rpm} -U /root/packages/second.rpm`);
    t.equal(await node.text('rpm -q --qf "%{VERSION}" microshift-networking'), '0.1.1');
    t.equal(await node.text(pids), running, 'nothing was restarted');
    hasMoved(t, before, await node.state());
  });

  await t.test('after a reboot the node is on br-ex', async (t) => {
    await node.reboot();
    await node.text(`systemctl start ${unit} || { journalctl -b --no-pager -u ${unit}; exit 1; }`);
    await node.ready();
    hasMoved(t, before, await node.state());
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
  });

  await t.test('where nothing runs, a hook does only what is safe', async (t) => {
    const run = await node.run(
      'mkdir /mnt/image && mount --bind / /mnt/image && chroot /mnt/image microshift-net hook post-install',
    );
    t.match(run, { exitCode: 0, stderr: /nothing is started or told; the rest happens when the node boots/ });
    t.match(await node.run('chroot /mnt/image microshift-net hook pre-uninstall; umount /mnt/image'), { exitCode: 0 });
    hasMoved(t, before, await node.state());
  });

  await t.test('hooks say what is missing and end with 0', async (t) => {
    await node.text('systemctl mask --now NetworkManager && mv /usr/share/openvswitch/scripts/ovs-ctl /root/');
    const run = await node.run('microshift-net hook post-install');
    t.match(run, {
      exitCode: 0,
      stderr: /could not let NetworkManager read its configuration again: NetworkManager is not running/,
    });
    await node.text(
      'mv /root/ovs-ctl /usr/share/openvswitch/scripts/ && systemctl unmask NetworkManager && systemctl start NetworkManager; systemctl reset-failed',
    );
    const broken = await node.run(
      'echo "uplink: [" > /etc/microshift/ovn.yaml; microshift-net hook post-upgrade; rm /etc/microshift/ovn.yaml',
    );
    t.match(broken, { exitCode: 0, stderr: /ovn\.yaml.*the defaults are used/ });
    await node.text(`systemctl restart ${unit}`);
    await node.ready();
  });

  await t.test('uninstalled, the NIC has its own profile again and nothing is left', async (t) => {
    const run = await node.measure(`${rpm} -e microshift-networking`);
    t.equal(run.exitCode, 0, run.stderr);
    t.comment(`uninstall: ${Math.round(run.wallMs)} ms, away ${JSON.stringify(run.outageMs)}`);
    const after = await node.state();
    t.strictSame(after.addressesOf('eth0'), ['192.0.2.50/24']);
    t.strictSame(after.bridges(), []);
    t.strictSame(
      after.data.profiles.map((profile) => profile.name).filter((name) => /br-ex|phys0/.test(name)),
      [],
    );
    t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . other_config'), /threads/);
    t.equal(await node.text('find /etc ! -type d ! -path /etc/resolv.conf | sort'), etc);
    t.equal(await node.text('systemctl show -P CPUAffinity ovs-vswitchd'), '');
    t.equal(await node.text(failed), '');
  });
});

/** Runs a command during which no packet may be lost: replies may be late on a busy machine, none may be missing. */
async function unnoticed(t: Test, node: TestNode, command: string): Promise<string> {
  const ping = node.start('ip netns exec lan ping -n -i 0.02 -W 2 192.0.2.50 > /run/testnode/ping');
  const run = await node.run(command);
  await ping.signal('SIGINT');
  await ping.ended;
  t.equal(run.exitCode, 0, run.stderr);
  t.match(await node.read('/run/testnode/ping'), / 0% packet loss/);
  return run.stdout + run.stderr;
}
