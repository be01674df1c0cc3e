import { monotonicMs } from '../../../deadline.ts';
import { nextNumber } from '../../../drivers/ovn/database.ts';
import { AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayPlan } from '../../../model/overlay.ts';
import { type RowIndex, textOf } from '../../../overlay/rows/row-index.ts';
import { operationsOf } from '../../../overlay/rows/row-operations.ts';
import { createSlices } from '../../../slices.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { planInSteps } from '../../../workload/plan-workload.ts';
import type { Northbound } from './northbound-mirror.ts';

/**
 * Result of an attempt to write rows. `nothing`: no row differed. `not owner`: this process does not have the OVSDB
 * lock. `too much`: the rows of several objects are too many or too large for one transaction. Only a `written`
 * transaction has changed rows.
 */
export type Outcome =
  | { readonly end: 'nothing' }
  | { readonly end: 'not owner' }
  | { readonly end: 'too much' }
  | { readonly end: 'written'; readonly rows: number }
  | { readonly end: 'refused'; readonly error: AgentError };

/**
 * Number of attempts if rows change between the plan and its transaction. If all fail, another program probably writes
 * the same rows.
 */
const mostStale = 5;
/**
 * Number of plans with pauses that may be discarded because rows have changed during a pause. The plan after them is
 * made without a pause: while pods start, rows change all the time, and no plan with pauses would be finished.
 */
const mostBegun = 3;
/**
 * Largest number of rows in a transaction of several objects. The rows of a single object, at most some thousand, are
 * not limited.
 */
const mostRows = 500;
/**
 * Largest size, in bytes, of a transaction of several objects. The ovsdb-server does no other work during a
 * transaction.
 */
const mostBytes = 400_000;

/**
 * Brings the rows of these object keys into the desired state, in one transaction. `isOne` is true for the work of one
 * object, whose transaction may have any size. Fails if ovsdb-server does not answer; the transaction may have been
 * carried out in that case.
 */
export async function bring(
  northbound: Northbound,
  facts: WorkloadFacts,
  objectKeys: ReadonlySet<string>,
  isOne: boolean,
): Promise<Outcome> {
  for (let stale = 0; stale < mostStale; stale += 1) {
    let plan: OverlayPlan | 'too much';
    try {
      plan = await planned(northbound, facts, objectKeys, isOne);
    } catch (error) {
      return { end: 'refused', error: asAgentError(error) };
    }
    if (plan === 'too much') return { end: 'too much' };
    const rows = plan.changes.length;
    if (rows === 0) return { end: 'nothing' };
    const operations = operationsOf(plan, northbound.shape);
    if (!isOne && JSON.stringify(operations).length > mostBytes) return { end: 'too much' };
    const request = mayRemoveServers(plan, northbound.existing) ? [nextNumber] : [];
    const judged = await sent(northbound, rows, [...operations, ...request]);
    if (judged instanceof AgentError) return { end: 'refused', error: judged };
    if (judged === 'written') return { end: 'written', rows };
    if (judged === 'not owner') return { end: 'not owner' };
  }
  const hint = 'look for another program that writes these rows of OVN_Northbound, and stop it';
  return { end: 'refused', error: new AgentError('ovsdb-refused', 'rows change while they are written', { hint }) };
}

/**
 * Makes a plan with pauses for other events, and starts again if rows change during a pause. After some attempts, makes
 * the plan without a pause.
 */
async function planned(
  northbound: Northbound,
  facts: WorkloadFacts,
  objectKeys: ReadonlySet<string>,
  isOne: boolean,
): Promise<OverlayPlan | 'too much'> {
  const breathe = createSlices(monotonicMs);
  for (let tries = 0; ; tries += 1) {
    const { existing, shape, revision } = northbound;
    const steps = planInSteps(facts, existing, shape, objectKeys);
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

/**
 * Returns true if the plan changes or deletes a load balancer of a UDP service. The transaction of such a plan also
 * requests an answer from every chassis. When a chassis has answered, none of its flows leads to the removed backends.
 * The daemon on the node of the chassis then removes the connections to these backends (daemon/lost-connections.ts).
 */
function mayRemoveServers({ changes }: OverlayPlan, existing: RowIndex): boolean {
  return changes.some((change) => {
    if (change.table !== 'Load_Balancer' || change.do === 'insert') return false;
    const row = existing.named('Load_Balancer', change.title);
    return textOf(row, 'protocol') === 'udp';
  });
}

async function sent(northbound: Northbound, rows: number, operations: readonly unknown[]) {
  try {
    return await northbound.transact(`change ${rows} rows of OVN_Northbound`, operations as never);
  } catch (thrown) {
    const error = asAgentError(thrown);
    // A refusal for lack of disk space is not caused by the rows, so it is thrown and the same rows are tried again.
    if (error.kind === 'ovsdb-refused' && error.facts.isStorage !== true) return error;
    throw error;
  }
}
