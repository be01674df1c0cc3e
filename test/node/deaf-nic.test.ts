// A NIC between its move into the bridge and the removal of its own addresses: it sends but does not receive, so its
// neighbour entries have to last.
import t from 'tap';
import { nodeSkip } from './availability.ts';
import { afterStep, apply, held, holdAfter, letGo } from './interfere.ts';
import { bootNode } from './node.ts';

t.test('a NIC in the bridge sends no requests for its neighbours', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'static4', kernel: 'of this machine', enableRepair: true });
  t.teardown(() => node.halt());
  // Host to which no other program sends packets, so that only the agent changes its neighbour entry.
  const neighbour = '192.0.2.77 lladdr 52:54:00:bb:00:77 dev eth0';
  await node.text(`ip neigh replace ${neighbour} nud stale`);
  const knows = (device: string): Promise<string> => node.text(`ip neigh show 192.0.2.77 dev ${device}`);
  t.match(await knows('eth0'), /STALE/);

  await holdAfter(node, afterStep.attach);
  const command = node.start(apply, { timeoutMs: 180_000 });
  await command.saw(held);
  t.match(await knows('eth0'), /lladdr 52:54:00:bb:00:77 REACHABLE/, 'the neighbour counts as confirmed');
  t.match(await knows('br-ex'), /lladdr 52:54:00:bb:00:77 STALE/, 'the bridge has the neighbour, unconfirmed');
  await letGo(node);
  t.match(await command.ended, { exitCode: 0 });
});
