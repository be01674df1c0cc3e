// Cells of the table of `npm run faults` with the highest risk, which no other test covers.
import t from 'tap';
import { nodeSkip } from '../availability.ts';
import { busProxy, busProxyPath } from '../bus-proxy.ts';
import type { NodeKernel } from '../machine.ts';
import { bootNode } from '../node.ts';
import { endsOf, pristine, runCell, unlike } from './cell.ts';
import { faults } from './faults.ts';
import { pointsOf } from './points.ts';

/** Fault, the last action before it, and the permitted final states. */
type Cell = readonly [string, string, readonly ('old' | 'new')[]];

/** Cells by the kernel of their node; those of User-Mode Linux need the kernel's data path or a loop device. */
const cells: Readonly<Record<NodeKernel, readonly Cell[]>> = {
  'of this machine': [
    ['kill', 'clearUplink', ['old']],
    ['kill', 'checkpoint destroyed', ['new']],
    ['nm-kill', 'reapply ovs-if-br-ex', ['old']],
    ['ovsdb-kill', 'attachUplink', ['old']],
    ['cable', 'clearUplink', ['old', 'new']],
    ['conflict', 'attachUplink', ['old', 'new']],
  ],
  'user-mode': [
    ['vswitchd-kill', 'waitAddresses', ['old', 'new']],
    ['disk-full', 'journal opened', ['old', 'new']],
    ['read-only', 'proof', ['old']],
  ],
};

for (const kernel of ['of this machine', 'user-mode'] as const)
  t.test(`faults at points of a run, kernel ${kernel}`, { skip: nodeSkip }, async (t) => {
    const node = await bootNode({ lan: 'dhcp', kernel, enableRepair: true, files: { [busProxyPath]: busProxy } });
    t.teardown(() => node.halt());
    const points = await pointsOf(node);
    const ends = await endsOf(node);
    for (const [name, after, states] of cells[kernel]) {
      const fault = faults.find((entry) => entry.name === name);
      const point = points.find((entry) => entry.after.startsWith(after))?.point;
      if (fault === undefined || point === undefined) throw new Error(`there is no ${name} or no ${after}`);
      await t.test(`${fault.title} ${point}: ${after}`, async (t) => {
        const outcome = await runCell(node, ends, fault, point);
        t.comment(JSON.stringify(outcome));
        const isOneOf = states.some((state) => state === outcome.state);
        t.ok(
          isOneOf,
          `the node ends ${outcome.state}${isOneOf ? '' : `: ${JSON.stringify(await unlike(node, ends))}`}`,
        );
        t.equal(outcome.hands, 0);
        await node.ready();
        t.pass('the node is reachable again');
        const isPristine = await pristine(node, ends, fault);
        t.ok(
          isPristine,
          `disable brings the old state back${isPristine ? '' : `: ${JSON.stringify(await unlike(node, ends))}`}`,
        );
      });
    }
  });
