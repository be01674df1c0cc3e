// Sandbox of the agent's units: its exposure, the programs that the units start in it, and a run of a unit that proves
// that the gateway answers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { bootNode } from './node.ts';
import { inSandboxOf } from './sandbox.ts';
import { projectDir } from './source.ts';

const addresses = ['192.0.2.50/24', '2001:db8::5054:ff:feaa:0/64'];
const unit = 'microshift-ovs-init.service';

/** Exposure of each service according to `systemd-analyze security`. */
const exposures = [
  ...readFileSync(path.join(projectDir, 'docs/internals/packaging.md'), 'utf8').matchAll(
    /^\| (microshift-[\w, -]+) \| (\d\.\d) \|/gm,
  ),
].flatMap(([, names = '', figure = '']) => names.split(', ').map((name) => [name, figure] as const));

const network = [
  'ping -n -q -c 1 -w 2 -I eth0 192.0.2.1',
  'ip address add 198.51.100.1/32 dev eth0 && ip address del 198.51.100.1/32 dev eth0',
  'setpriv --pdeathsig KILL ip -o monitor link & sleep 0.2; kill $!',
  'ovs-vsctl --timeout=5 list-br',
  'echo MESSAGE=probe | logger --journald',
  'touch /run/microshift-net/probe /var/lib/microshift-net/probe /var/lib/ovnk/probe',
  'for key in ipv4/conf/eth0/rp_filter ipv6/conf/eth0/disable_ipv6 ipv6/conf/eth0/accept_ra; do file=/proc/sys/net/$key; old=$(cat $file); echo $old > $file; done',
];
const tuning = [
  // On RHEL, another user runs the daemons of Open vSwitch; ProtectProc= hides no process from members of root's group.
  'test -e /proc/$(cat /run/nobodys.pid)/status',
  'for pid in $(pidof ovs-vswitchd ovsdb-server); do test -e /proc/$pid/task/$pid/status; done',
  'touch /etc/systemd/system/probe && rm /etc/systemd/system/probe',
];
const startedBy = {
  'microshift-ovs-init': [...network, ...tuning],
  'microshift-net-repair': [...network, ...tuning],
  'microshift-net-died': network,
  'microshift-net-affinity': [
    'taskset -c -p 0 $(cat /run/nobodys.pid)',
    'for pid in $(pidof ovs-vswitchd ovsdb-server); do taskset -a -c -p 0 $pid; done',
  ],
  'microshift-net-overlay': [
    'touch /etc/microshift-net/pki/probe && rm /etc/microshift-net/pki/probe',
    'touch /etc/cni/net.d/probe && rm /etc/cni/net.d/probe',
    'openssl version',
    'ovs-vsctl --timeout=5 list-br',
  ],
  'microshift-net-uplink': ['ovs-vsctl --timeout=5 list-br', 'touch /run/microshift-net/probe'],
};

t.test("hardening of the agent's units", { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'slaac', kernel: 'of this machine' });
  t.teardown(() => node.halt());

  await t.test('is well-formed and hardened', async (t) => {
    const file = `/usr/lib/systemd/system/${unit}`;
    const verified = await node.run(`systemd-analyze verify --man=no ${file}`);
    t.equal(verified.exitCode, 0);
    t.notMatch(verified.stderr, /microshift/);
    t.equal(exposures.length, 10);
    for (const [name, figure] of exposures) {
      const last = await node.text(`systemd-analyze security --no-pager ${name} | tail -n 1`);
      t.match(last, `exposure level for ${name}.service: ${figure} `);
    }
  });

  await t.test('lets the programs work that each unit starts', async (t) => {
    // State as on RHEL, where another user owns ovsdb-server.
    await node.text('chown nobody:nogroup /run/openvswitch/db.sock && chmod 750 /run/openvswitch/db.sock');
    await node.text('install -d -m 700 /etc/microshift-net/pki');
    await node.text('setpriv --reuid nobody sleep 300 > /dev/null 2>&1 & echo $! > /run/nobodys.pid');
    for (const [of, programs] of Object.entries(startedBy)) {
      for (const program of programs) {
        const run = await inSandboxOf(node, of, program);
        t.equal(run.exitCode, 0, `${of}: ${program}\n${run.log}`);
      }
      const other = await inSandboxOf(node, of, 'touch /run/elsewhere');
      t.match(other.log, /Read-only file system/, `${of} cannot write to /run/elsewhere`);
    }
    const affinity = '/run/microshift-net/affinity';
    const pin = 'systemctl start microshift-net-affinity';
    await node.text(`printf -- '-a -c -p 0 %s\n-c -p 0 4000000\n' $(pidof ovs-vswitchd) > ${affinity}`);
    t.match(await node.run(pin), { exitCode: 0 }, 'a thread that has ended causes no failure');
    await node.text(`printf -- '-c -p 4000 %s\n' $(pidof ovs-vswitchd) > ${affinity}`);
    t.match(await node.run(`${pin}; code=$?; rm ${affinity}; exit $code`), { exitCode: 1 }, 'no such CPU');
    await node.text('chown root:root /run/openvswitch/db.sock && chmod 770 /run/openvswitch/db.sock');
  });

  await t.test('lets a unit prove that the gateway answers', async (t) => {
    const gateway =
      node.start(`ip netns exec lan sh -c 'tcpdump --immediate-mode -n -c 1 -i lan0 "icmp[0] = 0 and src 192.0.2.1" &&
      sysctl -w net.ipv4.icmp_echo_ignore_all=1'`);
    await gateway.saw('listening');
    t.not((await node.run(`systemctl restart ${unit}`)).exitCode, 0);
    t.match(await node.journal(unit), /the gateway 192\.0\.2\.1 answered before the change/);
    const asMember = 'setpriv --reuid nobody --regid nogroup --groups systemd-journal';
    const history = await node.run(`${asMember} microshift-net history`);
    t.match(history, { exitCode: 0, stdout: /rolled-back/ }, 'the group systemd-journal reads the journal of the unit');
    await node.text(`systemctl stop ${unit}; ip netns exec lan sysctl -w net.ipv4.icmp_echo_ignore_all=0`);
    await node.ready();
    t.strictSame((await node.state()).addressesOf('eth0'), addresses);
  });
});
