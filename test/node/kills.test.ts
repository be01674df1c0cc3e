// The agent is stopped or killed in the middle: the node ends as it was, reachable by itself, and the next run works.
import t from 'tap';
import { faultFile } from '../../agent/apply/fault-points.ts';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { faults } from './faults/faults.ts';
import { afterStep, apply, giveBack, interfered, isOld } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

t.setTimeout(420_000);
/** What NetworkManager's rollback of a bridge that works takes at most; one that does not is silent until it begins, for 9 to 12 s. */
const movedLimitMs = 6_000;

t.test('an agent that does not get to its end', { timeout: 400_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp' });
  t.teardown(() => node.halt());
  const before = await node.state();
  const old = await picture(node);

  for (const [step, text] of Object.entries(afterStep).filter(([step]) =>
    ['profiles', 'attach', 'move'].includes(step),
  )) {
    await t.test(`SIGTERM after the step "${step}"`, async (t) => {
      const run = await interfered(node, text, (command) => command.signal('SIGTERM'));
      t.match(run, { exitCode: 1, stderr: /^microshift-net: stopped by SIGTERM; /m });
      t.ok(run.endedAfterMs < 12_000, `it ended after ${run.endedAfterMs} ms`);
      await isOld(t, node, old, run.interferedAt);
    });
  }

  for (const [step, text] of Object.entries(afterStep)) {
    await t.test(`SIGKILL after the step "${step}"`, async (t) => {
      const run = await interfered(node, text, (command) => command.signal('SIGKILL'));
      t.equal(run.signal, 'SIGKILL');
      // at the other steps the next run comes before NetworkManager's timer, and does not have to wait for it
      if (step === 'move') await isOld(t, node, old, run.interferedAt);
      const next = await node.measure(apply);
      t.match(next, { exitCode: 0, stdout: /committed/ }, 'the next run works');
      hasMoved(t, before, await node.state());
      t.match(await node.text('microshift-net history'), / (rolled-back|interrupted) +apply /);
      await giveBack(t, node, old);
    });
  }

  await t.test('SIGKILL in the moment the NIC is in the database of Open vSwitch', async (t) => {
    const kill = `ovs-vsctl --timeout=60 wait-until Port eth0; kill -KILL $(ls /run/microshift-net/lock | cut -d . -f 1)`;
    const run = await interfered(node, afterStep.bridge, () => node.text(kill));
    t.equal(run.signal, 'SIGKILL');
    t.notMatch(run.stderr, afterStep.move);
    await isOld(t, node, old, run.interferedAt);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next run works');
    await giveBack(t, node, old);
  });

  // It stands still for some seconds before it dies: NetworkManager's answer is there, and nobody reads it. The bridge works by then.
  await t.test('out of memory when NetworkManager takes the port', async (t) => {
    const start = faults.find((fault) => fault.name === 'oom')?.start ?? '';
    await armFault(node, 'after step 5', 'exhaust-memory');
    const since = await node.now();
    t.match(await node.run(start), { signal: 'SIGKILL' });
    await node.text(`rm -f ${faultFile}`);
    await isOld(t, node, old, since, movedLimitMs);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next run works');
    await giveBack(t, node, old);
  });

  // NetworkManager and ovsdb-server are stopped in turn, so that the moment between the port and its activation is long enough to be hit.
  await t.test('the whole control group killed before NetworkManager has heard of the port', async (t) => {
    const group = '/sys/fs/cgroup/killed-as-a-whole';
    await armFault(node, 'after step 4', 'hold');
    await node.text(`mkdir -p ${group}`);
    const command = node.start(`echo $$ > ${group}/cgroup.procs; exec ${apply}`, { timeoutMs: 180_000 });
    await command.saw('armed fault: held');
    const killedAt = await node.now();
    await node.text(`nm=$(systemctl show -p MainPID --value NetworkManager) ovsdb=$(cat /run/openvswitch/ovsdb-server.pid)
      kill -STOP $ovsdb; rm ${faultFile}; sleep 1; kill -STOP $nm; kill -CONT $ovsdb
      ovs-vsctl --timeout=10 wait-until Port eth0; echo 1 > ${group}/cgroup.kill; kill -CONT $nm`);
    await command.ended;
    await isOld(t, node, old, killedAt);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next run works');
    await giveBack(t, node, old);
  });

  await t.test('SIGKILL while the NIC is given back and NetworkManager does not see the bridge', async (t) => {
    t.match(await node.run(apply), { exitCode: 0 });
    const moved = await picture(node);
    const hidden = 'external_ids:microshift-net.borrowed-from=ffe576ca-2ebf-58d8-864c-d6a2d3391194';
    const command = node.start('microshift-net disable');
    await node.text(
      `ovs-vsctl --timeout=60 wait-until Bridge br-ex ${hidden}; kill -KILL $(ls /run/microshift-net/lock | cut -d . -f 1)`,
    );
    const killedAt = await node.now();
    t.equal((await command.ended).signal, 'SIGKILL');
    // NetworkManager's checkpoint brings br-ex back; the guard has given it the bridge
    await isOld(t, node, moved, killedAt);
    await giveBack(t, node, old);
    t.match(await node.text('microshift-net history'), / (rolled-back|interrupted) +disable /);
  });

  // As above, in turn: what the agent asks of NetworkManager is not heard before the agent is dead, and then refused.
  await t.test('SIGKILL while the bridge is hidden and NetworkManager has not begun to run the NIC', async (t) => {
    t.match(await node.run(apply), { exitCode: 0 });
    const moved = await picture(node);
    await armFault(node, 'before step 1', 'hold');
    const command = node.start('microshift-net disable', { timeoutMs: 180_000 });
    await command.saw('armed fault: held');
    const hidden = 'external_ids:microshift-net.borrowed-from=ffe576ca-2ebf-58d8-864c-d6a2d3391194';
    const killedAt = await node.now();
    await node.text(`nm=$(systemctl show -p MainPID --value NetworkManager) ovsdb=$(cat /run/openvswitch/ovsdb-server.pid)
      kill -STOP $ovsdb; rm ${faultFile}; sleep 1; kill -STOP $nm; kill -CONT $ovsdb
      ovs-vsctl --timeout=10 wait-until Bridge br-ex ${hidden}
      kill -KILL $(ls /run/microshift-net/lock | cut -d . -f 1); sleep 1; kill -CONT $nm`);
    await command.ended;
    await isOld(t, node, moved, killedAt);
    await giveBack(t, node, old);
  });
});
