import { AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayPlan } from '../../../model/overlay.ts';
import { operationsOf } from '../../../overlay/operations.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { planWorkload } from '../../../workload/plan-workload.ts';
import type { Northbound } from './northbound.ts';

/** What came of a transaction; of none where nothing differed. Where it was refused, nothing was written. */
export type Outcome =
  | { readonly end: 'nothing' }
  | { readonly end: 'not owner' }
  | { readonly end: 'too much' }
  | { readonly end: 'written'; readonly rows: number }
  | { readonly end: 'refused'; readonly error: AgentError };

/** Rows that somebody changed between a plan and its transaction are planned again, so many times; more often is no coincidence. */
const mostStale = 5;
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
    let plan: OverlayPlan;
    try {
      plan = planWorkload(facts, northbound.existing, northbound.shape, units);
    } catch (error) {
      return { end: 'refused', error: asAgentError(error) };
    }
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
