// The agent is killed while a bond moves: NetworkManager attaches the ports again in an order of its own, and the bond keeps its MAC.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { apply, giveBack, interfered, isOld } from './interfere.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

t.setTimeout(420_000);

/** Without a process for every look: the ports are out for some tenths of a second. */
const killWithoutPorts = `nm=$(systemctl show -p MainPID --value NetworkManager)
  until read -r ports < /sys/class/net/bond0/bonding/slaves; [ -z "$ports" ]; do :; done
  kill -KILL $nm`;

t.test('a bond whose agent dies', { timeout: 400_000, skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'bond-ab' });
  t.teardown(() => node.halt());
  const old = await picture(node);

  // Which port comes first is up to NetworkManager each time.
  for (const text of ['attach bond0 to br-ex', 'activate ovs-if-phys0', 'update the profiles']) {
    await t.test(`SIGKILL after the step "${text}", and nobody else there`, async (t) => {
      const run = await interfered(node, text, (command) => command.signal('SIGKILL'));
      t.equal(run.signal, 'SIGKILL');
      await isOld(t, node, old, run.interferedAt);
    });
  }

  // What it then takes for active when it starts has no port in it: the run that rolls back has to start them.
  await t.test('NetworkManager killed while the bond has no port', async (t) => {
    const run = await interfered(node, 'activate ovs-if-br-ex', () =>
      node.text(killWithoutPorts, { timeoutMs: 60_000 }),
    );
    t.equal(run.exitCode, 5, run.stderr);
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('SIGKILL, and the next run takes it back', async (t) => {
    await interfered(node, 'activate ovs-if-phys0', (command) => command.signal('SIGKILL'));
    const next = await node.run('microshift-net recover');
    t.match(next, { exitCode: 0 }, next.stderr);
    t.strictSame(await picture(node), old);
  });

  await t.test('SIGTERM', async (t) => {
    const run = await interfered(node, 'activate ovs-if-phys0', (command) => command.signal('SIGTERM'));
    t.equal(run.exitCode, 1, run.stderr);
    await isOld(t, node, old, run.interferedAt);
  });

  await t.test('the next run works', async (t) => {
    t.match(await node.run(apply), { exitCode: 0, stdout: /committed/ });
    await giveBack(t, node, old);
  });
});
