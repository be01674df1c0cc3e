// Tests that need the node's own kernel: a boot with the kernel's data path, kinds of links, a data path and a driver
// that this machine's kernel may lack, a loop device, and a limit of memory.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { watchUnits } from '../../agent/model/units.ts';
import { modern, nodeOf } from '../unit/overlay/cluster.ts';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { isBroughtUp } from './brought-up.ts';
import { faults } from './faults/faults.ts';
import { endAsPermitted } from './faults/tested-cells.ts';
import { bootNode, type TestNode } from './node.ts';
import { picture, pictureLike, withoutTimes } from './picture.ts';
import { areRefused, type Refusal } from './refusal.ts';
import { inSandboxOf } from './sandbox.ts';
import { projectDir } from './source.ts';

const configFile = '/etc/microshift/ovn.yaml';

/** Returns shell text that waits until NetworkManager shows a device. */
function untilKnown(device: string): string {
  return `timeout 90 sh -c 'until nmcli -t -f DEVICE device | grep -q "^${device}$"; do sleep 0.1; done'`;
}

/** Shell text that completes checksums on the LAN's veths, because the userspace data path needs complete checksums. */
const wholeChecksums =
  'for nic in $(ip netns exec lan ls /sys/class/net); do ip netns exec lan ethtool -K $nic tx off; done > /dev/null 2>&1; true';
const untilFound = `timeout 90 sh -c 'until nmcli -t device | grep -q ^br-ex:ovs-interface:disconnected; do sleep 0.1; done'`;

const refusals: readonly Refusal[] = [
  {
    name: 'br-ex was made by hand',
    // NetworkManager removes the addresses of a new device shortly after it has found the device.
    given: `ovs-vsctl --timeout=10 add-br br-ex; ${untilFound}; ip link set br-ex up`,
    after: 'ovs-vsctl --timeout=10 del-br br-ex',
    exitCode: 1,
    says: /there is a bridge br-ex already.*NetworkManager did not make it.*del-br br-ex/,
  },
  {
    name: 'a macvlan is on the NIC',
    given: `modprobe macvlan; ip link add link eth0 name vrrp.51 type macvlan mode private; ${untilKnown('vrrp.51')}`,
    after: 'ip link delete vrrp.51',
    exitCode: 2,
    says: /eth0 has the macvlan device vrrp\.51 on it.*ip link delete vrrp\.51/,
  },
  {
    name: 'an ipvlan of another network namespace is on the NIC',
    given: `modprobe ipvlan; ip netns add pod; ip link add link eth0 name net1 type ipvlan mode l2; ip link set net1 netns pod`,
    after: 'ip netns delete pod',
    exitCode: 2,
    says: /eth0 has the ipvlan device net1 in the network namespace \/run\/netns\/pod on it.*nsenter --net=\/run\/netns\/pod ip link delete net1/,
  },
  {
    name: 'the NIC is a VRF',
    given: `modprobe vrf; ip link add vrf0 type vrf table 101; ip link set vrf0 up; ${untilKnown('vrf0')}; echo 'uplink: vrf0' > ${configFile}`,
    after: `rm ${configFile}; ip link delete vrf0`,
    exitCode: 2,
    says: /names vrf0, but it is a VRF/,
  },
];

/** Returns a limit of the daemon's memory that the documentation names, in bytes. */
function documented(words: string): string {
  const text = readFileSync(path.join(projectDir, 'docs/internals/overlay-watcher.md'), 'utf8');
  return String(Number(new RegExp(words).exec(text)?.[1]) * 2 ** 20);
}

t.test('a kernel of its own', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', enableUnit: true, files: { '/etc/microshift/config.yaml': '' } });
  t.teardown(() => node.halt());

  await t.test('the unit brings the node up on br-ex', (t) => isBroughtUp(t, node, ['192.0.2.50/24']));
  await t.test("units can read the kernel's data path from their sandbox", async (t) => {
    for (const of of ['microshift-ovs-init', 'microshift-net-repair', 'microshift-net-died']) {
      const run = await inSandboxOf(node, of, 'ovs-dpctl show');
      t.equal(run.exitCode, 0, `${of}: ${run.log}`);
    }
  });
  await node.text(`systemctl stop ${watchUnits.join(' ')} microshift-ovs-init microshift-net-bridges`);

  await areRefused(t, node, refusals);

  await t.test('faults at points of a run', async (t) => {
    const cells = [
      ['vswitchd-kill', 'waitAddresses', ['old', 'new']],
      ['read-only', 'proof', ['old']],
    ] as const;
    await node.text(`systemctl start ${watchUnits.join(' ')}`);
    await endAsPermitted(t, node, cells, () =>
      t.test('init of an overlay refuses this kernel, which has no zones of connection tracking', (t) =>
        overlayIsRefused(t, node),
      ),
    );
    await node.text(`systemctl stop ${watchUnits.join(' ')}`);
  });

  await t.test('out of memory when the NIC is in the bridge', async (t) => {
    // The unit is masked, because it would otherwise roll the run back.
    await node.text('systemctl mask --quiet microshift-net-died.service');
    const old = await picture(node);
    const start = faults.find(({ name }) => name === 'oom')?.start ?? '';
    await armFault(node, 'after step 5', 'exhaust-memory');
    t.not((await node.run(start)).exitCode, 0);
    t.strictSame(await pictureLike(node, old, 60_000, withoutTimes), withoutTimes(old), 'the node is as it was');
  });

  await t.test('with the userspace data path, a run is refused without /dev/net/tun', async (t) => {
    await node.write(configFile, 'ovs:\n  datapathType: netdev\n');
    await node.text(wholeChecksums);
    t.not((await node.run('test -e /dev/net/tun')).exitCode, 0);
    const history = await node.text('microshift-net history');
    const refusal = /\/dev\/net\/tun is not there; modprobe tun/;
    t.match(await node.run('microshift-net apply'), { exitCode: 5, stderr: refusal });
    t.equal(await node.text('microshift-net history'), history);
    t.match(await node.text('microshift-net doctor || true'), /FAILED +datapath .*\n.*\/dev\/net\/tun is not there/);
    t.not((await node.run('systemctl restart microshift-ovs-init')).exitCode, 0);
    t.match(await node.journal('microshift-ovs-init'), refusal);
  });

  await t.test('the unit succeeds if /dev/net/tun exists and its driver is not loaded yet', async (t) => {
    await node.text('systemctl stop microshift-ovs-init; mkdir -p /dev/net && mknod /dev/net/tun c 10 200');
    t.not((await node.run('test -e /sys/class/misc/tun')).exitCode, 0);
    t.match(await node.run('systemctl start microshift-ovs-init'), { exitCode: 0 });
    t.equal(await node.text('ovs-vsctl get bridge br-ex datapath_type'), 'netdev');
    await node.text(`systemctl stop microshift-ovs-init; microshift-net disable; rm ${configFile}`);
  });

  await t.test('the daemon of the overlay at the memory limit of its unit', async (t) => {
    // Member whose central node does not answer, so that the daemon runs and waits.
    const member = { format: 1, layout: modern, node: nodeOf(2), members: null, southbound: ['ssl:192.0.2.11:6642'] };
    await node.write('/var/lib/microshift-net/overlay.json', JSON.stringify(member));
    const unit = 'microshift-net-overlay.service';
    const property = async (name: string): Promise<string> =>
      (await node.text(`systemctl show --value -p ${name} ${unit}`)).trim();
    /** Shell text that waits until a property of the unit has another value. */
    const untilNot = (name: string, old: string): string =>
      `timeout 90 sh -c 'while [ "$(systemctl show --value -p ${name} ${unit})" = "${old}" ]; do sleep 1; done'`;
    await node.text(`systemctl start --no-block ${unit}; ${untilNot('MainPID', '0')}`);
    const first = await property('MainPID');
    // The limits that the kernel enforces: those of the unit's cgroup and of every cgroup above it (systemd.exec(5)).
    for (const [name, file, limitBytes] of [
      ['EffectiveMemoryHigh', 'memory.high', documented('throttles the daemon at (\\d+) MB')],
      ['EffectiveMemoryMax', 'memory.max', documented('kills it at (\\d+) MB')],
    ] as const) {
      t.equal(await property(name), limitBytes, name);
      const enforced = await node.text(`cat /sys/fs/cgroup$(systemctl show --value -p ControlGroup ${unit})/${file}`);
      t.equal(enforced.trim(), limitBytes, file);
    }
    await node.text(`systemctl set-property --runtime ${unit} MemoryHigh=infinity MemoryMax=8M`);
    await node.text(untilNot('MainPID', first));
    await node.text(
      `systemctl set-property --runtime ${unit} MemoryMax=640M; ${untilNot('NRestarts', '0')}; ${untilNot('MainPID', '0')}`,
    );
    t.match(await node.text(`journalctl -b -u ${unit} -o cat`), /Failed with result 'oom-kill'/);
    t.not(await property('MainPID'), first, 'systemd has started the daemon again');
    await node.text(`systemctl stop ${unit}; rm /var/lib/microshift-net/overlay.json`);
  });
});

async function overlayIsRefused(t: Test, node: TestNode): Promise<void> {
  t.match(await node.text('ovs-appctl dpif/show-dp-features br-ex'), /^CT zone: No$/m);
  // Another unit of Open vSwitch adds the name of the host to external_ids at some time after the boot.
  const look =
    'ovs-vsctl get Open_vSwitch . external_ids | sed "s/hostname=[^,}]*,\\? *//"; ovs-vsctl list-br; find /etc/microshift-net /var/lib/microshift-net || true';
  const before = await node.text(look);
  t.match(await node.run('microshift-net overlay init'), {
    exitCode: 5,
    stdout: '',
    stderr:
      "microshift-net: this kernel's data path lacks CT zone, without which OVN cannot work; use a kernel with CONFIG_NF_CONNTRACK_ZONES, or write in ovn.yaml: ovs: {datapathType: netdev}\n",
  });
  t.equal(await node.text(look), before, 'the databases and the state are as before');
}
