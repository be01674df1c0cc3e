import { monotonicMs } from '../../../deadline.ts';
import { AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayPlan } from '../../../model/overlay.ts';
import { operationsOf } from '../../../overlay/operations.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { planInSteps } from '../../../workload/plan-workload.ts';
import type { Northbound } from './northbound.ts';
import { createSlices } from './slices.ts';

/** What came of a transaction; of none where nothing differed. Where it was refused, nothing was written. */
export type Outcome =
  | { readonly end: 'nothing' }
  | { readonly end: 'not owner' }
  | { readonly end: 'too much' }
  | { readonly end: 'written'; readonly rows: number }
  | { readonly end: 'refused'; readonly error: AgentError };

/** Rows that somebody changed between a plan and its transaction are planned again, so many times; more often is no coincidence. */
const mostStale = 5;
/** Plans that are begun in slices before one is made in one piece: rows that change all the time are those of pods that start. */
const mostBegun = 3;
/** Rows of a transaction of several objects: one policy has some thousand at most. */
const mostRows = 1_000;
/** Of a transaction of several objects: the server works on nothing else meanwhile. */
const mostBytes = 1_000_000;

/**
 * Brings the rows of these units to what the facts call for, in one transaction. `isOne`: they cannot be parted. Fails where the server has not judged it:
 * it may have written it all the same.
 */
export async function bring(
  northbound: Northbound,
  facts: WorkloadFacts,
  units: ReadonlySet<string>,
  isOne: boolean,
): Promise<Outcome> {
  for (let stale = 0; stale < mostStale; stale += 1) {
    let plan: OverlayPlan | 'too much';
    try {
      plan = await planned(northbound, facts, units, isOne);
    } catch (error) {
      return { end: 'refused', error: asAgentError(error) };
    }
    if (plan === 'too much') return { end: 'too much' };
    const rows = plan.changes.length;
    if (rows === 0) return { end: 'nothing' };
    const operations = operationsOf(plan, northbound.shape);
    if (!isOne && JSON.stringify(operations).length > mostBytes) return { end: 'too much' };
    const judged = await sent(northbound, rows, operations);
    if (judged instanceof AgentError) return { end: 'refused', error: judged };
    if (judged === 'written') return { end: 'written', rows };
    if (judged === 'not owner') return { end: 'not owner' };
  }
  const hint = 'look for another program that writes these rows of OVN_Northbound, and stop it';
  return { end: 'refused', error: new AgentError('ovsdb-refused', 'rows change while they are written', { hint }) };
}

/** Plans in slices. A plan during which rows change begins again, a few times; the last one is made in one piece. */
async function planned(
  northbound: Northbound,
  facts: WorkloadFacts,
  units: ReadonlySet<string>,
  isOne: boolean,
): Promise<OverlayPlan | 'too much'> {
  const breathe = createSlices(monotonicMs);
  for (let tries = 0; ; tries += 1) {
    const { existing, shape, revision } = northbound;
    const steps = planInSteps(facts, existing, shape, units);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      if (!isOne && value > mostRows) return 'too much';
      const pause = tries < mostBegun ? breathe() : null;
      if (pause === null) continue;
      await pause;
      if (northbound.revision !== revision) break;
    }
  }
}

async function sent(northbound: Northbound, rows: number, operations: ReturnType<typeof operationsOf>) {
  try {
    return await northbound.transact(`change ${rows} rows of OVN_Northbound`, operations as never);
  } catch (thrown) {
    const error = asAgentError(thrown);
    // What the database has no room for says nothing of the rows.
    if (error.kind === 'ovsdb-refused' && error.facts.isStorage !== true) return error;
    throw error;
  }
}
