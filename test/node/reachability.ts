// Reachability of the node from the LAN. `make bench` and `make faults` measure the duration of an outage, because a
// loaded machine prolongs it.
import type { Test } from 'tap';
import type { MeasuredRun, TestNode } from './node.ts';

/** Asserts that every address answered the LAN while a command ran and again after its end. */
export function stayedReachable(t: Test, run: MeasuredRun, addresses: readonly string[]): void {
  for (const address of addresses) {
    t.ok(run.answeredMeanwhile[address], `${address} answered while the command ran`);
    t.comment(`${address} was silent for ${run.outageMs[address]} ms, in a run of ${Math.round(run.wallMs)} ms`);
  }
  t.not(run.recoveredAfterMs, null, 'the node answers after the command');
}

/** Waits until the node answers, and reports how long it was silent since a mark. */
export async function answersAgain(t: Test, node: TestNode, sinceMs: number, address: string): Promise<void> {
  await node.ready();
  const outage = (await node.outages(sinceMs, await node.now()))[address];
  t.ok(outage !== undefined && outage.replies > 0, `${address} answers`);
  t.comment(`${address} was silent for ${outage?.longestMs} ms, in all ${outage?.totalMs} ms`);
}
