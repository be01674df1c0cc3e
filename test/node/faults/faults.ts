// Table of faults, grouped by the component that fails.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { busProxyEnv, startBusProxy } from '../bus-proxy.ts';
import type { RunningCommand } from '../command.ts';
import type { TestNode } from '../node.ts';
import type { Fault } from './fault.ts';

const unit = 'microshift-ovs-init.service';
const dropIn = `/run/systemd/system/${unit}.d/faults.conf`;
const stateDirectories = ['microshift-net', 'ovnk', 'NetworkManager'];
const diskImage = '/run/testnode/disk.img';
const disk = '/run/testnode/disk';
const vswitchdPid = '$(cat /run/openvswitch/ovs-vswitchd.pid)';

const agent: readonly Fault[] = [
  { name: 'kill', title: 'agent SIGKILL', action: 'kill' },
  { name: 'term', title: 'agent SIGTERM', action: 'terminate' },
  {
    name: 'oom',
    title: 'out of memory',
    action: 'exhaust-memory',
    // In a service whose name begins with microshift-net-, the agent stays in the control group of the service, and has
    // the sandbox of such services.
    start: `exec systemd-run --quiet --wait --pipe --collect --unit=microshift-net-limited -p MemoryAccounting=yes -p StateDirectory=microshift-net -p RuntimeDirectory=microshift-net -p RuntimeDirectoryPreserve=yes -p ReadWritePaths='-/var/lib/ovnk -/proc/sys/net/ipv4/conf -/proc/sys/net/ipv6/conf' -p ExecStopPost='-/usr/bin/microshift-net recover' /usr/bin/microshift-net apply`,
  },
  {
    name: 'unit-kill',
    title: 'agent SIGKILL, started by its unit',
    action: 'kill',
    start: `systemctl start ${unit}`,
    endsNew: true,
    cleanUp: (node) => node.text(`systemctl stop ${unit}; systemctl reset-failed ${unit} 2> /dev/null || true`),
  },
  {
    name: 'unit-timeout',
    title: 'unit timeout',
    action: 'hold',
    start: `systemctl start ${unit}`,
    keepsHolding: true,
    prepare: async (node) => {
      await node.write(dropIn, '[Service]\nTimeoutStartSec=8s\nRestart=no\n');
      await node.text('systemctl daemon-reload');
    },
    cleanUp: (node) =>
      node.text(`rm -f ${dropIn}; systemctl daemon-reload; systemctl reset-failed ${unit} 2> /dev/null || true`),
  },
];

const services: readonly Fault[] = [
  {
    name: 'nm-kill',
    title: 'NetworkManager killed',
    action: 'hold',
    strike: ({ node }) => node.text('systemctl kill --signal=KILL --kill-whom=main NetworkManager'),
  },
  {
    name: 'nm-restart',
    title: 'NetworkManager restarted',
    action: 'hold',
    strike: ({ node }) => node.text('systemctl restart NetworkManager'),
  },
  {
    name: 'ovsdb-kill',
    title: 'ovsdb-server killed',
    action: 'hold',
    strike: ({ node }) => node.text('kill -KILL $(cat /run/openvswitch/ovsdb-server.pid)'),
  },
  {
    name: 'vswitchd-kill',
    title: 'vswitchd killed',
    action: 'hold',
    strike: ({ node }) => node.text(`kill -KILL ${vswitchdPid}`),
    leavesDataPath: true,
  },
  {
    name: 'vswitchd-hang',
    title: 'vswitchd hangs',
    action: 'hold',
    strike: ({ node }) => node.text(`kill -STOP ${vswitchdPid}`),
    // A paused ovs-vswitchd releases the kernel's resources only when it continues. Until then, only the reachability
    // of the node counts.
    passes: ({ node }) => node.text(`kill -CONT ${vswitchdPid}`),
    lasts: 'run',
  },
  ...[
    { name: 'dbus-cut', title: 'D-Bus connection cut', signal: 'SIGUSR1', leavesManaged: false },
    { name: 'dbus-gone', title: 'D-Bus gone for good', signal: 'SIGKILL', leavesManaged: true },
  ].map(({ name, title, signal, leavesManaged }): Fault => {
    let proxy: RunningCommand | undefined;
    return {
      name,
      title,
      action: 'hold',
      leavesManaged,
      env: busProxyEnv,
      prepare: async (node) => {
        proxy = node.start(startBusProxy, { timeoutMs: 600_000 });
        await proxy.saw('listening');
      },
      strike: async () => proxy?.signal(signal),
      cleanUp: async () => proxy?.signal('SIGKILL'),
    };
  }),
];

const machine: readonly Fault[] = [
  {
    name: 'power',
    title: 'power cut',
    action: 'hold',
    keepsHolding: true,
    powerOff: true,
    strike: ({ node }) => node.cut(),
  },
  {
    name: 'disk-full',
    title: 'disk full',
    action: 'hold',
    prepare: (node) => ownDisk(node, 'mount -t tmpfs -o size=2m tmpfs'),
    strike: ({ node }) => node.text(`! cat /dev/zero > ${disk}/fill && test "$(stat -f -c %a ${disk})" = 0`),
    cleanUp: dropDisk,
  },
  {
    name: 'read-only',
    title: 'read-only /var',
    action: 'hold',
    prepare: async (node) => {
      await node.write(diskImage, emptyDisk());
      await ownDisk(node, `modprobe -a loop ext4; mount -o loop ${diskImage}`);
    },
    strike: ({ node }) => node.text(`mount -o remount,abort ${disk}; ! echo x > ${disk}/more`),
    cleanUp: dropDisk,
  },
  {
    name: 'clock',
    title: 'clock jumped a day',
    action: 'hold',
    strike: ({ node }) => node.text("date -s '+1 day'"),
  },
];

const lan: readonly Fault[] = [
  {
    name: 'cable',
    title: 'LAN cable pulled',
    action: 'hold',
    strike: ({ node }) => node.text(eachCable('down')),
    passes: ({ node }) => node.text(eachCable('up')),
  },
  {
    name: 'dhcp-gone',
    title: 'DHCP server gone',
    action: 'hold',
    impossible: (name) => (name.startsWith('static') ? 'no DHCP' : null),
    strike: ({ node }) => node.text('pkill -x -STOP dnsmasq'),
    passes: ({ node }) => node.text('pkill -x -CONT dnsmasq'),
  },
  {
    name: 'conflict',
    title: 'address conflict',
    action: 'hold',
    strike: ({ node }) =>
      node.text(`. /testnode/lib.sh; . /testnode/lan.sh; ip netns add rival
        $LAN ip link add rival type veth peer name eth0 netns rival; $LAN ip link set rival master lan0 up
        r="ip netns exec rival"; $r ip link set eth0 up; d=eth0
        case $NODE_IF in *.*) d=eth0.\${NODE_IF#*.}; $r ip link add link eth0 name $d type vlan id \${NODE_IF#*.}; $r ip link set $d up;; esac
        $r ip addr add $IP4/24 dev $d; $r arping -q -A -c 2 -I $d $IP4`),
    passes: ({ node }) => node.text('ip netns del rival'),
  },
];

export const faults: readonly Fault[] = [...agent, ...services, ...machine, ...lan];

/** Pulls or plugs every cable at the switch's end. */
function eachCable(state: 'up' | 'down'): string {
  return `for p in $(ip netns exec lan ls /sys/class/net | grep ^peth); do ip netns exec lan ip link set $p ${state}; done`;
}

/**
 * Moves all files that are written during a run to a small separate disk, which can be full or fail. `mount` is shell
 * text that mounts the disk.
 */
async function ownDisk(node: TestNode, mount: string): Promise<void> {
  const binds = stateDirectories.map(
    (name) =>
      `mkdir -p /var/lib/${name}; cp -a /var/lib/${name} ${disk}; mount --bind ${disk}/${name} /var/lib/${name}`,
  );
  await node.text(`set -e; mkdir -p ${disk}; ${mount} ${disk}; ${binds.join('; ')}`);
}

async function dropDisk(node: TestNode): Promise<void> {
  await node.text(
    `for name in ${stateDirectories.join(' ')}; do umount -l /var/lib/$name; done; umount -l ${disk}; rm -f ${diskImage}`,
  );
}

/** Creates an empty ext4 file system of 2 MiB. */
function emptyDisk(): Buffer {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'disk-'));
  try {
    const file = path.join(folder, 'disk.img');
    execFileSync('mke2fs', ['-q', '-t', 'ext4', '-O', '^has_journal', '-m', '0', file, '2M'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return fs.readFileSync(file);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}
