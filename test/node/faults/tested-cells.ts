// Cells of the table of `npm run faults` that `make test` tests on a booted node.
import type { Test } from 'tap';
import type { TestNode } from '../node.ts';
import { endsOf, pristine, runCell, unlike } from './cell.ts';
import { faults } from './faults.ts';
import { pointAfter, pointsOf } from './points.ts';

/** Fault, the last action before it, and the permitted final states. */
type TestedCell = readonly [string, string, readonly ('old' | 'new')[]];

/**
 * Runs the cells one after another, and leaves the node in its state before the first cell. `whileNew` runs on the node
 * when its NIC has moved without a fault.
 */
export async function endAsPermitted(
  t: Test,
  node: TestNode,
  cells: readonly TestedCell[],
  whileNew?: () => Promise<unknown>,
): Promise<void> {
  const points = await pointsOf(node);
  const ends = await endsOf(node, whileNew);
  for (const [name, after, states] of cells) {
    const fault = faults.find((entry) => entry.name === name);
    if (fault === undefined) throw new Error(`there is no fault ${name}`);
    const point = pointAfter(points, after);
    await t.test(`${fault.title} ${point}: ${after}`, async (t) => {
      const outcome = await runCell(node, ends, fault, point);
      t.comment(JSON.stringify(outcome));
      const isOneOf = states.some((state) => state === outcome.state);
      t.ok(isOneOf, `the node ends ${outcome.state}${isOneOf ? '' : `: ${JSON.stringify(await unlike(node, ends))}`}`);
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
}
