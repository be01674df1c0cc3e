// Crashes of the agent while a bond moves. The ports must never leave the bond: the bond has the first port's MAC, and
// ports that return negotiate LACP again. shapes.test.ts terminates a run that moves a team, and `make faults` has all
// points of a run.
import t from 'tap';
import { armFault } from './armed-fault.ts';
import { nodeSkip } from './availability.ts';
import { apply, giveBack, isOld } from './interfere.ts';
import { hasMoved } from './moved.ts';
import { bootNode } from './node.ts';
import { picture } from './picture.ts';

t.test('a bond whose agent crashes', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'bond-8023ad' });
  t.teardown(() => node.halt());
  const before = await node.state('brief');
  const old = await picture(node);
  await node.text('(ip -o monitor link > /root/links &)');
  await t.test('SIGKILL when the bond is attached and its IP settings are off', async (t) => {
    await armFault(node, 'after step 6', 'kill');
    const since = await node.now();
    t.match(await node.run(apply), { signal: 'SIGKILL' });
    await isOld(t, node, old, since);
  });
  t.match(await node.run(apply), { exitCode: 0 });
  hasMoved(t, before, await node.state('brief'), 'bond0');
  await giveBack(t, node, old);
  const ports = (await node.text('cat /root/links')).split('\n').filter((line) => /: eth[01]@?\S*: /.test(line));
  const left = ports.filter((line) => !line.includes('master bond0') || !line.includes('LOWER_UP'));
  t.strictSame(left, [], 'no port has left the bond or lost its link');
});
