// The unit at boot: the node has its address on br-ex after every kind of boot, without an administrator.
// These boots use the userspace data path; own-kernel.test.ts and bridge.test.ts boot nodes with the data path of the
// kernel. sandbox.test.ts tests the sandbox of the unit.
import t, { type Test } from 'tap';
import { armFault, letGoOfRun } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { ended, isBroughtUp } from './brought-up.ts';
import { followJournal } from './follow-journal.ts';
import { afterStep, held, holdAfter } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { answersAgain } from './reachability.ts';

const addresses = ['192.0.2.50/24', '2001:db8::5054:ff:feaa:0/64'];
const unit = 'microshift-ovs-init.service';

t.test('the unit, userspace data path', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'slaac', enableUnit: true, kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const before = await isBroughtUp(t, node, addresses);

  await t.test('is started again by systemd after its process was killed', async (t) => {
    await armFault(node, 'after step 5', 'hold');
    // Either the unit's own `recover` or the repair rolls the run back: a kill of the whole control group may also kill
    // `recover`.
    const log = await followJournal(node, '-t microshift-net');
    const start = node.start(`systemctl restart ${unit}`);
    await log.saw('armed fault: held after step 5');
    const killedAt = await node.now();
    await node.text(`${letGoOfRun}; systemctl kill -s KILL ${unit}`);
    await start.ended;
    await log.saw('was interrupted by a crash');
    await log.saw('commit …');
    await ended(node);
    hasMoved(t, before, await node.state());
    await answersAgain(t, node, killedAt, '192.0.2.50');
    await log.signal('SIGTERM');
  });

  await t.test('moves the NIC again after a reboot', async (t) => {
    const readyMs = await node.reboot();
    await ended(node);
    t.comment(`answered ${Math.round(readyMs)} ms after power on; unit ${await unitTime(node)}`);
    hasMoved(t, before, await node.state());
    await isWanted(t, node);
  });

  await t.test('moves the NIC after a power cut in the middle of a run', async (t) => {
    t.equal((await node.run('microshift-net disable')).exitCode, 0);
    await holdAfter(node, afterStep.attach);
    const run = node.start('microshift-net apply');
    await run.saw(held);
    await node.powerCut();
    await run.ended.catch(() => {}); // The error is ignored, because the power cut ends the connection.
    await ended(node);
    hasMoved(t, before, await node.state());
    await isWanted(t, node);
    t.match(await node.text('microshift-net history'), / interrupted +apply .*the machine went down in the middle/);
  });
});

t.test('a network that comes after the unit has given up', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({
    lan: 'dhcp',
    lanAppend: 'serve() { dhcp lan0 $(pool4); }; lan() { nic eth0; lan_ip lan0 192.0.2.1/24; }',
    enableUnit: true,
    kernel: 'of this machine',
    waitReady: false,
    files: { [`/etc/systemd/system/${unit}.d/limit.conf`]: '[Unit]\nStartLimitBurst=1\n[Service]\nRestartSec=1s\n' },
  });
  t.teardown(() => node.halt());
  const failed = await node.run(`timeout 120 sh -c 'until systemctl is-failed ${unit}; do sleep 1; done'`);
  t.match(failed, { exitCode: 0 }, 'the unit gives up');
  t.match(await node.text('cat /run/microshift-net/status.json'), /"kind":"(no-uplink|activation-timeout)"/);
  await node.text('. /testnode/lib.sh; . /testnode/lan.sh; serve');
  const active = await node.run(`timeout 90 sh -c 'until systemctl is-active ${unit}; do sleep 1; done'`);
  t.match(active, { exitCode: 0 }, 'the unit is started again');
  await node.ready();
  t.match((await node.state()).defaultRoutes(4), [{ gateway: '192.0.2.1', dev: 'br-ex' }]);

  await t.test('does not start the unit after a failure for which no address is the cure', async (t) => {
    // `systemctl start` waits for the end of the repair that follows the unit, because a run writes no status.json
    // during another run.
    await node.text('systemctl start microshift-net-repair');
    await node.write('/etc/microshift/ovn.yaml', 'uplink: [\n');
    await node.run(`rm /run/microshift-net/network-came; systemctl reset-failed ${unit}; systemctl restart ${unit}`);
    t.match(JSON.parse(await node.text('cat /run/microshift-net/status.json')), {
      outcome: 'failed',
      error: { kind: 'config-syntax', exitCode: 2 },
    });
    t.match(await node.text('cat /run/microshift-net/metrics.prom'), /^microshift_net_last_run_success 0$/m);
    t.equal(await attemptsAfterLease(node), 0);
  });

  await t.test('starts the unit at most once in ten minutes', async (t) => {
    // The files mean that a run has failed without a network, and that the unit was started when a network appeared.
    await node.text('touch /run/microshift-net/network-missed /run/microshift-net/network-came');
    t.equal(await attemptsAfterLease(node), 0, 'within ten minutes');
    await node.text('touch -d "11 minutes ago" /run/microshift-net/network-came');
    t.ok(await isAttemptedAfterLease(node), 'after eleven minutes');
  });

  await t.test('the NIC that ovn.yaml names appears late', async (t) => {
    await node.write('/etc/microshift/ovn.yaml', 'uplink: eth9\n');
    await node.text(`nmcli connection add type ethernet con-name eth9 ifname eth9 ipv6.method disabled \
      ipv4.method manual ipv4.addresses 192.0.2.60/24`);
    const log = await followJournal(node, `-u ${unit}`);
    await node.text(`systemctl stop ${unit}; systemctl reset-failed ${unit}; systemctl start --no-block ${unit}`);
    await log.saw('waiting up to 40 s for eth9');
    await node.text('. /testnode/lib.sh; nic eth9');
    await log.saw('Finished');
    await log.signal('SIGTERM');
    t.strictSame((await node.state()).addressesOf('br-ex'), ['192.0.2.60/24']);
  });
});

/** Returns the number of starts of the unit in the three seconds after a NIC has come up. */
async function attemptsAfterLease(node: TestNode): Promise<number> {
  const before = Number(await node.text(attempts));
  await node.text(`systemctl is-failed ${unit}`);
  // The pause has a fixed length, because no event would report that the unit is not started.
  await node.text(`${eth0HasLease}; sleep 3`);
  return Number(await node.text(attempts)) - before;
}

/** Reports an address of eth0 to the dispatcher script; returns true if the failed unit is started as a result. */
async function isAttemptedAfterLease(node: TestNode): Promise<boolean> {
  const before = await node.text(attempts);
  await node.text(`systemctl is-failed ${unit}; ${eth0HasLease}`);
  const started = await node.run(`timeout 90 sh -c 'until [ "$(${attempts})" -gt ${before} ]; do sleep 0.5; done'`);
  return started.exitCode === 0;
}

const eth0HasLease = '/usr/lib/NetworkManager/dispatcher.d/90-microshift-net.sh eth0 up';
/** Command that prints the number of starts of the unit in this boot. */
const attempts = `journalctl -b -q -o cat --no-pager _SYSTEMD_UNIT=init.scope UNIT=${unit} | grep -c "^Starting " || true`;

async function isWanted(t: Test, node: TestNode): Promise<void> {
  t.match(await node.run('microshift-net verify'), {
    exitCode: 0,
    stdout: 'No drift: the node is in the desired state.\n',
  });
  t.equal(await node.text(`systemctl show -P Result ${unit}`), 'success');
}

async function unitTime(node: TestNode): Promise<string> {
  return node.text(
    `systemctl show -P ExecMainStartTimestampMonotonic -P ExecMainExitTimestampMonotonic ${unit} | paste -sd ' '`,
  );
}
