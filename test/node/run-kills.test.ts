// The agent is stopped or killed during a run: the node returns to its previous state by itself, stays reachable, and
// the next run succeeds.
import t from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { afterStep, apply, giveBack, interfered, isOld, isRolledBack } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

const diedUnit = 'microshift-net-died.service';

t.test('an agent that is stopped or killed', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine' });
  t.teardown(() => node.halt());
  const before = await node.state();
  const old = await picture(node);

  for (const [step, text] of Object.entries(afterStep).filter(([step]) =>
    ['profiles', 'attach', 'move'].includes(step),
  )) {
    await t.test(`SIGTERM after the step "${step}"`, async (t) => {
      const run = await interfered(node, text, (command) => command.signal('SIGTERM'));
      t.match(run, { exitCode: 1, stderr: /^microshift-net: stopped by SIGTERM; /m });
      await isOld(t, node, old, run.interferedAt);
    });
  }

  for (const [step, text] of Object.entries(afterStep)) {
    await t.test(`SIGKILL after the step "${step}"`, async (t) => {
      const run = await interfered(node, text, (command) => command.signal('SIGKILL'));
      t.equal(run.signal, 'SIGKILL');
      // At the other points, the next run starts before the rollback and waits for its end.
      if (step === 'move') await isOld(t, node, old, run.interferedAt);
      const next = await node.measure(apply);
      t.match(next, { exitCode: 0, stdout: /committed/ }, 'the next apply succeeds');
      hasMoved(t, before, await node.state());
      t.match(await node.text('microshift-net history'), / rolled-back +apply /);
      await giveBack(t, node, old);
    });
  }

  await t.test('SIGKILL while the NIC is returned', async (t) => {
    t.match(await node.run(apply), { exitCode: 0 });
    const moved = await picture(node);
    for (const point of ['after step 1', 'after step 4']) {
      await armFault(node, point, 'kill');
      const since = await node.now();
      t.match(await node.run('microshift-net disable'), { signal: 'SIGKILL' });
      await isRolledBack(node);
      await isOld(t, node, moved, since);
    }
    await giveBack(t, node, old);
    t.match(await node.text('microshift-net history'), / rolled-back +disable /);
  });

  await t.test('SIGKILL of a run that only NetworkManager can roll back', async (t) => {
    await node.text(`systemctl mask --quiet --runtime ${diedUnit}`);
    const run = await interfered(node, afterStep.move, (command) => command.signal('SIGKILL'));
    t.equal(run.signal, 'SIGKILL');
    await isOld(t, node, old, run.interferedAt);
    await node.text(`systemctl unmask --quiet --runtime ${diedUnit}`);
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ }, 'the next apply succeeds');
    await giveBack(t, node, old);
  });
});
