// Recovery of an interrupted run: at boot before another program uses its remains, immediately by its unit, and by
// hand.
import t, { type Test } from 'tap';
import { rootInterface, rootPath, service } from '../../agent/drivers/networkmanager/nm-names.ts';
import { checkpointSeconds } from '../../agent/run/checkpoint-timer.ts';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { apply } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode, type TestNode } from './node.ts';
import { type Picture, picture, pictureLike, withoutTimes } from './picture.ts';
import { stayedReachable } from './reachability.ts';

const unit = 'microshift-net-recover.service';
const networkManager = `${service} ${rootPath} ${rootInterface}`;
const transactions = '/var/lib/microshift-net/tx';
const diskProfiles = '/etc/NetworkManager/system-connections';

t.test('a run that was interrupted', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  // systemd would otherwise start the recovery before the test can act.
  await node.text(`systemctl enable --quiet ${unit}; systemctl mask --quiet microshift-net-died.service`);
  const before = await node.state();
  const old = await picture(node);

  await t.test('a killed run is rolled back by `recover`, which does nothing else', async (t) => {
    t.match(await node.run('microshift-net recover'), { exitCode: 0, stdout: 'Nothing to recover.\n' });
    await armFault(node, 'after step 9', 'kill');
    t.equal((await node.run(apply)).signal, 'SIGKILL');
    const run = await node.measure('microshift-net recover');
    t.match(run, { exitCode: 0, stdout: 'Recovered.\n', stderr: /was interrupted by a crash; rolling back/ });
    stayedReachable(t, run, ['192.0.2.50']);
    await isOld(t, node, old);
    t.match(await node.text('microshift-net history'), / rolled-back +apply /);
  });

  // No fault point is between the creation of the checkpoint and its record, so the test itself creates the checkpoint:
  // for all devices and with the timer of a run.
  await t.test('a run is killed before its journal has the name of its checkpoint', async (t) => {
    for (const command of ['microshift-net recover', apply]) {
      await armFault(node, 'before checkpoint', 'kill');
      t.equal((await node.run(apply)).signal, 'SIGKILL');
      await node.text(`busctl call ${networkManager} CheckpointCreate aouu 0 ${checkpointSeconds} 6`);
      const run = await node.measure(command);
      t.match(run, { exitCode: 0, stderr: /waiting up to 12 s for NetworkManager to end the checkpoint/ });
      t.equal(await node.text(`busctl get-property ${networkManager} Checkpoints`), 'ao 0');
      stayedReachable(t, run, ['192.0.2.50']);
      t.equal(run.stdout === 'Recovered.\n', command !== apply, run.stdout);
      if (command !== apply) await isOld(t, node, old);
    }
    hasMoved(t, before, await node.state());
    await node.text('microshift-net disable');
    await isOld(t, node, old);
  });

  await t.test('the result of a run stays if the run is killed after its work was done', async (t) => {
    for (const command of ['microshift-net recover', 'microshift-net apply --repair']) {
      await armFault(node, 'before journal-end', 'kill');
      t.equal((await node.run(apply)).signal, 'SIGKILL');
      t.match(await node.measure(command), { exitCode: 0, stderr: /crashed after its work was done/ });
      hasMoved(t, before, await node.state());
      await node.text('microshift-net disable');
      await isOld(t, node, old);
    }
  });

  await t.test('a run that is killed under its unit is rolled back and repeated at once', async (t) => {
    await armFault(node, 'after step 9', 'kill');
    const run = await node.measure('systemctl start microshift-ovs-init', { settleMs: 4_000 });
    t.not(run.exitCode, 0);
    stayedReachable(t, run, ['192.0.2.50']);
    t.match(await node.journal('microshift-ovs-init'), /was interrupted by a crash; rolling back/);
    await isOld(t, node, old);
    await node.text('systemctl start microshift-ovs-init');
    hasMoved(t, before, await node.state());
    await node.text('systemctl stop microshift-ovs-init; microshift-net disable');
    await isOld(t, node, old);
  });

  await t.test('after a power cut, the rows of the run are removed before ovs-vswitchd starts', async (t) => {
    await cutAt(node, 'after step 8');
    t.match(await node.journal(unit), /removed br-ex from the database of Open vSwitch/);
    t.notMatch(await node.journal('ovs-vswitchd'), /added interface eth0/, 'ovs-vswitchd has not added the NIC');
    t.match(await node.text('microshift-net history'), / interrupted +apply /);
    const done = Number(await node.text(`systemctl show -P ExecMainExitTimestampMonotonic ${unit}`));
    for (const later of ['ovs-vswitchd', 'NetworkManager']) {
      const started = Number(await node.text(`systemctl show -P ExecMainStartTimestampMonotonic ${later}`));
      t.ok(done > 0 && done <= started, `${later} started ${(started - done) / 1000} ms after the recovery`);
    }
    await isOld(t, node, old);
  });

  await t.test('profiles that an earlier agent wrote to disk are removed before NetworkManager starts', async (t) => {
    const keyfile =
      '[connection]\nid=ovs-if-br-ex\nuuid=88758c69-274c-52ae-9ad0-9d574bb5ca6b\ntype=dummy\ninterface-name=br-ex\n';
    const user = '[user]\nmicroshift-net.source-profile=00000000-0000-4000-8000-000000000000\n';
    const path = `${diskProfiles}/ovs-if-br-ex.nmconnection`;
    await node.write(path, `${keyfile}${user}`);
    await node.text(`chmod 600 ${path}`);
    await node.reboot();
    t.match(
      await node.journal(unit),
      /removed .*\/ovs-if-br-ex\.nmconnection: profiles of the bridge are kept in memory only/,
    );
    t.equal(await node.read(path), null);
    await isOld(t, node, old);
  });

  await t.test('an invalid journal is set aside and reported, and has no effect', async (t) => {
    const [good = ''] = (await node.text(`head -qn 1 ${transactions}/*.json | head -n 1`)).split('\n');
    const spoilt = {
      corrupt: 'printf "\\0\\1\\2garbage" > F',
      truncated: `printf '%s' '${good.slice(0, 100)}' > F`,
      future: `printf '%s\\n' '{"format":2,"id":"x"}' > F`,
      foreign: `printf '%s\\n' '{"format":1}' > F; chown nobody F`,
      link: 'ln -s /etc/shadow F',
    };
    for (const [name, shell] of Object.entries(spoilt))
      await node.text(shell.replaceAll('F', `${transactions}/20260101T000000Z-${name}.open`));
    const run = await node.run('microshift-net recover');
    t.equal(run.exitCode, 0);
    for (const name of Object.keys(spoilt))
      t.match(run.stderr, new RegExp(`journal .*-${name}\\.open is set aside and not obeyed: `));
    t.equal(await node.text(`ls ${transactions} | grep -c 'open.unusable$'`), '5');
    t.match(
      await node.run('microshift-net recover'),
      { stdout: 'Nothing to recover.\n', stderr: '' },
      'the recovery is reported once',
    );
    t.match(await node.run('microshift-net history'), {
      exitCode: 0,
      stderr: /-future\.open\.unusable is not a usable/,
    });
    await isOld(t, node, old);
  });

  await t.test('a NIC that was taken out of br-ex while NetworkManager was stopped is put into it again', async (t) => {
    t.match(await node.run(apply), { exitCode: 0 });
    const untilConnected = `timeout 60 sh -c 'until nmcli -t device | grep -q ^eth0:ethernet:connected; do sleep 0.1; done'`;
    await node.text(
      `systemctl stop NetworkManager; ovs-vsctl del-port br-ex eth0; systemctl start NetworkManager; ${untilConnected}`,
    );
    const run = await node.run(apply);
    t.equal(run.exitCode, 0, run.stderr);
    hasMoved(t, before, await node.state());
    t.match(await node.run('microshift-net verify'), { exitCode: 0 });
    t.match(await node.run('microshift-net disable'), { exitCode: 0 });
    await isOld(t, node, old);
  });
});

/** Holds a run at a point and cuts the power there. */
async function cutAt(node: TestNode, point: string, shell = 'true'): Promise<void> {
  await armFault(node, point, 'hold');
  const command = node.start(apply);
  command.ended.catch(() => {}); // The error is ignored, because the power cut ends the connection.
  await command.saw('armed fault: held');
  await node.text(shell);
  await node.powerCut();
}

async function isOld(t: Test, node: TestNode, old: Picture): Promise<void> {
  t.strictSame(await pictureLike(node, old, 45_000, withoutTimes), withoutTimes(old), 'the node is as it was');
}
