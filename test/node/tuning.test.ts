// Open vSwitch gets the settings of ovn.yaml without a restart: the test reads /proc, systemd and the database of a
// booted node.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { everyPingAnswered } from './every-ping.ts';
import { bootNode } from './node.ts';
import { watchWrites } from './writes.ts';

const ownFiles = 'find /etc/systemd/system -path "*ovs*.service.d/*"';
const pids = 'cat /run/openvswitch/ovs-vswitchd.pid /run/openvswitch/ovsdb-server.pid';
const threads = 'cat /proc/$(cat /run/openvswitch/ovs-vswitchd.pid)/task/*/comm | grep -c revalidator';
const affinity = 'systemctl show -P CPUAffinity ovs-vswitchd ovsdb-server | grep . | paste -sd " "';
const locked = 'grep VmLck /proc/$(cat /run/openvswitch/ovs-vswitchd.pid)/status | tr -dc 0-9';
const config = '/etc/microshift/ovn.yaml';

t.test('tuning', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    files: {
      '/etc/default/openvswitch-switch': `OVS_CTL_OPTS="--ovs-vswitchd-options='-vbridge:file:dbg -vsyslog:off'"\n`,
    },
  });
  t.teardown(() => node.halt());
  const started = await node.text(pids);

  await t.test('the drop-ins of the package and options of the administrator work from the first boot', async (t) => {
    t.equal(await node.text(affinity), '0 0');
    t.equal(await node.text(locked), '0', 'no memory is locked');
    const command = await node.text('tr "\\0" " " < /proc/$(head -1 /run/openvswitch/ovs-vswitchd.pid)/cmdline');
    t.match(command, /-vbridge:file:dbg -vsyslog:off/);
    t.notMatch(command, /mlockall/);
  });

  await t.test('ovs tune sets the threads at once, with no outage and no restart', async (t) => {
    // The test counts the replies that ping(8) prints: they may be late on a busy machine, but none may be missing.
    const ping = node.start('ip netns exec lan ping -n -i 0.02 -W 2 192.0.2.50 > /run/testnode/ping');
    const run = await node.run('microshift-net ovs tune');
    await ping.signal('SIGINT');
    await ping.ended;
    everyPingAnswered(t, await node.read('/run/testnode/ping'));
    t.match(run, { exitCode: 0, stdout: /^Done: Open vSwitch is tuned\.\n {2}ovs-vswitchd +pid \d+, CPU 0, / });
    t.match(
      await node.text('ovs-vsctl get Open_vSwitch . other_config'),
      /n-handler-threads="1", n-revalidator-threads="1"/,
    );
    t.equal(await node.text(ownFiles), '', 'no drop-in is written that repeats one of the package');
    const again = await watchWrites(node, 'microshift-net ovs tune');
    t.match(again, { exitCode: 0, stdout: /^Nothing to do/, busWrites: [], databaseWrites: [], databaseSame: true });
  });

  await t.test('apply does the same, and a second apply writes nothing', async (t) => {
    await node.text('ovs-vsctl remove Open_vSwitch . other_config n-revalidator-threads');
    t.match(await node.text('microshift-net plan'), /Tuning of Open vSwitch .*\n +set n-revalidator-threads=1/);
    t.match(await node.run('microshift-net apply'), { exitCode: 0, stderr: /tuning: set n-revalidator-threads=1/ });
    t.equal(await node.text(threads), '1');
    t.match(await watchWrites(node, 'microshift-net apply'), {
      exitCode: 0,
      stdout: /^Nothing to do/,
      busWrites: [],
      databaseWrites: [],
      databaseSame: true,
    });
    t.equal((await node.run('microshift-net verify')).exitCode, 0);
    await node.text('ovs-vsctl set Open_vSwitch . other_config:n-handler-threads=7');
    t.match(await node.run('microshift-net verify'), {
      exitCode: 3,
      stdout: /other_config:n-handler-threads: wanted 1, observed 7/,
    });
  });

  await t.test('other settings get drop-ins of their own, and a necessary restart is reported', async (t) => {
    await node.write(config, 'ovs:\n  cpuAffinity: none\n  lockMemory: true\n');
    const run = await node.run('microshift-net ovs tune');
    t.match(run, {
      exitCode: 0,
      stderr: /ovs-vswitchd has not locked its memory until it starts again.*systemctl restart/,
    });
    t.equal((await node.text(ownFiles)).split('\n').length, 3);
    t.equal(await node.text(affinity), '');
    t.match(await watchWrites(node, 'microshift-net ovs tune'), {
      stdout: /^Nothing to do/,
      busWrites: [],
      databaseWrites: [],
    });
    t.equal(await node.text(pids), started, 'the daemons are the same since boot');
    await node.text('systemctl restart ovs-vswitchd');
    t.not(await node.text(locked), '0', 'the memory is locked after the restart');
    await node.ready();
  });

  await t.test('a CPU that the machine does not have is refused', async (t) => {
    await node.write(config, 'ovs:\n  cpuAffinity: 0,5\n');
    const run = await node.run('microshift-net apply');
    t.match(run, {
      exitCode: 2,
      stderr: /ovs\.cpuAffinity \(.*ovn\.yaml:2\) is 0,5, but this machine has no CPU 5: online are 0/,
    });
  });

  await t.test('disable removes all settings', async (t) => {
    await node.write(config, '');
    t.equal((await node.run('microshift-net disable')).exitCode, 0);
    const loaded = 'systemctl show -P NeedDaemonReload ovs-vswitchd ovsdb-server | grep . | sort -u';
    t.equal(await node.text(loaded), 'no', 'systemd has read its unit files again');
    t.equal(await node.text(ownFiles), '');
    t.notMatch(await node.text('ovs-vsctl get Open_vSwitch . other_config'), /n-(handler|revalidator)-threads/);
  });
});
