// Cells of the table of `npm run faults` with the highest risk, which no other test covers. own-kernel.test.ts has the
// cells that need the kernel's data path or a loop device, run-kills.test.ts and recovery.test.ts have kills of the
// agent.
import t from 'tap';
import { nodeSkip } from '../availability.ts';
import { bootNode } from '../node.ts';
import { endAsPermitted } from './tested-cells.ts';

t.test('faults at points of a run', { skip: nodeSkip }, async (t) => {
  const node = await bootNode({ lan: 'dhcp', kernel: 'of this machine', enableRepair: true });
  t.teardown(() => node.halt());
  await endAsPermitted(t, node, [
    ['nm-kill', 'reapply ovs-if-br-ex', ['old']],
    ['ovsdb-kill', 'attachUplink', ['old']],
    ['cable', 'clearUplink', ['old', 'new']],
    ['conflict', 'attachUplink', ['old', 'new']],
    ['disk-full', 'journal opened', ['old', 'new']],
  ]);
});
