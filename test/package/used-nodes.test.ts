// The package on nodes with a history: Open vSwitch is missing, a bridge of another program exists, ovn-kubernetes
// runs, or /usr is read-only. upgrade.test.ts has nodes with a bridge of configure-ovs.sh.
import path from 'node:path';
import t, { type Test } from 'tap';
import { nodeSkip } from '../node/availability.ts';
import { ownProfiles } from '../node/moved.ts';
import { bootNode } from '../node/node.ts';
import { buildPackages, packagesFolder, rpmSkip } from './build-package.ts';
import { madeByNmstate, ovnKubernetes } from './made-by-others.ts';
import { install, killedInRemoval, killedInUpdate, remove, rpm, updatedWhileTried } from './updates.ts';

const unit = 'microshift-ovs-init.service';
const greenboot = '/usr/lib/greenboot/check/required.d/39_microshift_net_check.sh';
const ovsUnits = '/usr/lib/systemd/system/ov*.s* /etc/systemd/system/openvswitch.service';

t.test('the package on nodes with a history', { skip: nodeSkip || rpmSkip }, async (t) => {
  const folder = packagesFolder(t);
  buildPackages('0.2.0', path.join(folder, 'first'), '5.0.0');
  buildPackages('0.2.1', path.join(folder, 'second'), '5.0.1');
  const node = await bootNode({
    lan: 'static4',
    bare: true,
    kernel: 'of this machine',
    folders: { '/root/packages': folder },
  });
  t.teardown(() => node.halt());
  const files =
    'find /etc /var/lib/microshift-net /var/lib/ovnk /var/cache/microshift-net ! -type d ! -path /etc/resolv.conf | sort';
  const fresh = await node.text(`${files} 2> /dev/null || true`);

  /** Asserts that the node is the same as before the installation. */
  const isFresh = async (t: Test, ...bridges: string[]): Promise<void> => {
    await node.ready();
    const after = await node.state();
    t.strictSame(after.addressesOf('eth0'), ['192.0.2.50/24'], 'the NIC has its address');
    t.strictSame(after.bridges(), bridges);
    t.equal(await node.text(`${files} 2> /dev/null || true`), fresh, 'no file is left');
  };

  await t.test('Open vSwitch is missing', async (t) => {
    await node.text(`systemctl stop openvswitch ovs-vswitchd ovsdb-server ovsdb-server.socket; mkdir /root/away
      mv ${ovsUnits} /root/away; systemctl daemon-reload`);
    const refused = await node.run('rpm -i /root/packages/first/*.noarch.rpm');
    t.not(refused.exitCode, 0);
    t.match(refused.stderr, /openvswitch.* is needed by microshift-net/, 'rpm refuses the package');
    const forced = await node.run(install);
    t.equal(forced.exitCode, 0, 'the package is installed with --nodeps');
    t.match(forced.stderr, /could not start openvswitch\.service: .*openvswitch\.service/);
    t.match(await node.run('microshift-net apply'), {
      exitCode: 5,
      stderr: /ovsdb-server cannot be reached: .*start Open vSwitch/,
    });
    await node.text('cd /root/away; mv openvswitch.service /etc/systemd/system/; mv * /usr/lib/systemd/system/');
    const mended = await node.run('microshift-net hook post-install');
    t.equal(mended.exitCode, 0);
    t.equal(mended.stderr, '');
    t.equal(await node.text('systemctl is-active openvswitch ovs-vswitchd ovsdb-server | sort -u'), 'active');
    t.equal((await node.run(remove)).exitCode, 0);
    await isFresh(t);
  });

  await t.test('br-ex was made by nmstate, or by hand', async (t) => {
    t.equal((await node.run(install)).exitCode, 0);
    await node.text(madeByNmstate);
    t.match(await node.run('microshift-net apply'), {
      exitCode: 1,
      stderr: /nmstate made it \(NetworkManager profile br-ex-br\)/,
    });
    t.equal((await node.run('microshift-net hook pre-uninstall')).exitCode, 0);
    t.match(
      await node.text('nmcli -g NAME connection show --active'),
      /^br-ex-if$/m,
      'the foreign profile is still active',
    );
    await node.text('nmcli connection delete br-ex-if br-ex-port br-ex-br');
    await node.text('ovs-vsctl add-br br-ex -- set Bridge br-ex datapath_type=netdev');
    t.match(await node.run('microshift-net apply'), { exitCode: 1, stderr: /NetworkManager did not make it/ });
    t.match(await node.run(greenboot), { exitCode: 1, stderr: /microshift-ovs-init\.service failed/ });
    await node.text(`systemctl stop ${unit}; systemctl reset-failed`);
    t.equal((await node.run(remove)).exitCode, 0);
    await isFresh(t, 'br-ex');
    await node.text('ovs-vsctl del-br br-ex');
  });

  await t.test('an update while a change waits to be confirmed', (t) => updatedWhileTried(t, node));
  await t.test('an update is killed in the middle', (t) => killedInUpdate(t, node));
  await t.test('a removal is killed in the middle', async (t) => {
    await killedInRemoval(t, node);
    await isFresh(t);
  });

  await t.test('/usr is read-only', async (t) => {
    t.equal((await node.run(install)).exitCode, 0);
    await node.text('mount --bind /usr /usr && mount -o remount,bind,ro /usr');
    const upgrade = await node.run(`${rpm} -U /root/packages/second/*.noarch.rpm`);
    t.not(upgrade.exitCode, 0);
    t.equal(await node.text('rpm -q --qf "%{VERSION}" microshift-net'), '0.2.0', 'rpm keeps the old version');
    // rpm itself removes the files that it has unpacked, and folders that become empty.
    t.match(
      await node.text('rpm -V --nodeps microshift-net microshift-networking || true'),
      /^(missing +\/etc\/ovnk)?$/,
      'no other packaged file is changed or missing',
    );
    for (const command of ['hook post-install', 'apply', 'verify', 'hook post-upgrade', 'ovs tune']) {
      const run = await node.run(`microshift-net ${command}`);
      t.equal(run.exitCode, 0, `${command}: ${run.stderr}`);
      t.notMatch(run.stderr, /could not|read-only/i, command);
    }
    t.equal((await node.run(greenboot)).exitCode, 0);
    await node.write(
      '/etc/microshift/ovn.yaml',
      'ovs:\n  datapathType: netdev\n  cpuAffinity: none\n  lockMemory: true\n',
    );
    t.match(
      await node.run('microshift-net ovs tune'),
      { exitCode: 0, stdout: /^Done/ },
      'other settings are written to /etc',
    );
    t.equal(await node.text('systemctl show -P CPUAffinity ovs-vswitchd'), '');
    await node.write('/etc/microshift/ovn.yaml', '');
    const run = await node.run('microshift-net disable');
    t.equal(run.exitCode, 0, run.stderr);
    t.strictSame((await node.state()).bridges(), []);
    await node.text('mount -o remount,bind,rw /usr');
  });

  await t.test('profiles are ifcfg files, and disableOVSInit keeps br-ex at the removal', async (t) => {
    t.equal((await node.run(remove)).exitCode, 0);
    const folder = '/etc/sysconfig/network-scripts';
    await node.text(`mkdir -p ${folder}; touch ${folder}/ifcfg-lo`);
    t.equal((await node.run(install)).exitCode, 0);
    const shipped = /\/usr\/lib\/NetworkManager\/\S*\bmicroshift-nm\.conf/;
    t.match(
      await node.text('NetworkManager --print-config'),
      shipped,
      'an ifcfg file for lo does not disable the configuration of the package',
    );
    t.match(await node.text('getent group hugetlbfs'), /^hugetlbfs:/);
    t.equal((await node.run(remove)).exitCode, 0);
    await node.text(`touch ${folder}/ifcfg-eth0`);
    t.equal((await node.run(install)).exitCode, 0);
    t.notMatch(
      await node.text('NetworkManager --print-config'),
      shipped,
      'an ifcfg file for a NIC disables the configuration of the package',
    );
    await node.text(`rm -r ${folder}; rmdir --ignore-fail-on-non-empty /etc/sysconfig`);
    await node.text('microshift-net apply');
    await node.write('/etc/microshift/ovn.yaml', 'disableOVSInit: true\n');
    t.equal((await node.run(remove)).exitCode, 0);
    t.strictSame((await node.state()).bridges(), ['br-ex'], 'br-ex stays');
    t.match(await node.text('ls /var/lib/microshift-net/tx'), /\.json/, 'the journals remain');
    await node.write('/etc/microshift/ovn.yaml', '');
    t.equal((await node.run(install)).exitCode, 0);
    t.equal((await node.run('microshift-net disable')).exitCode, 0);
  });

  await t.test('ovn-kubernetes is running', async (t) => {
    t.equal((await node.run('microshift-net apply')).exitCode, 0);
    await node.text(ovnKubernetes);
    t.match(await node.run('microshift-net verify'), { exitCode: 0 }, 'the ports of another program are not drift');
    await node.text(`systemctl start ${unit}`);
    t.equal((await node.run(greenboot)).exitCode, 0);
    const run = await node.measure(remove);
    t.equal(run.exitCode, 0, run.stderr);
    t.comment(`away ${JSON.stringify(run.totalOutageMs)}\n${run.stderr}`);
    t.match(
      run.stderr,
      /restore the settings of eth0 and detach it from br-ex/,
      'the scriptlet returns the NIC, although rpm isolates it from the network',
    );
    t.match(
      run.stderr,
      /ports of other programs in br-ex are removed with it: patch-br-ex_node-to-br-int; pods of ovn-kubernetes/,
    );
    await isFresh(t, 'br-int');
    t.equal(
      await node.text('ovs-vsctl get Open_vSwitch . external_ids:ovn-bridge-mappings'),
      '"physnet:br-ex"',
      'the mapping of ovn-kubernetes stays',
    );
    t.strictSame(
      (await node.text('nmcli -g NAME connection show')).split('\n').filter((name) => ownProfiles.includes(name)),
      [],
    );
    for (const left of ['/var/lib/microshift-net', '/var/cache/microshift-net', '/run/microshift-net'])
      t.equal((await node.run(`test -e ${left}`)).exitCode, 1, `${left} is gone`);
  });
});
