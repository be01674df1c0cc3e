import { type Deadline, startDeadline } from '../deadline.ts';
import { endingWith } from '../failures.ts';
import { journalDirectory } from '../model/journal.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TransactionResult } from '../model/run-record.ts';
import type { TuningPlan } from '../model/tuning.ts';
import { writeAdded } from './journal/added-record.ts';
import { hasOpenJournals } from './journal/journal-files.ts';
import { type RunRecorder, startRecord } from './journal/record-run.ts';
import { withBriefLock, withLock } from './lock.ts';
import { type Node, openNode } from './node.ts';
import { forgetOthers, noteOthers } from './note-others.ts';
import type { ReconcileOptions } from './options.ts';
import { type Planner, planWhenReady, repairWait, type WaitOptions } from './plan-when-ready.ts';
import { rememberUplink } from './remember-uplink.ts';
import { repeatUntilPlanned } from './repeat-planning.ts';
import { interruptOnSignals } from './signals.ts';
import { withStateOfNode } from './stopped.ts';

/*
 * Modules that only a change, a recovery or a wait needs are loaded on demand. Most runs change nothing, and would
 * spend a tenth of their time on loading these modules.
 */

/**
 * Time limit of a run, longer than the longest DHCP exchange. TimeoutStartSec= of the unit exceeds this limit plus that
 * of a rollback.
 */
export const runLimitMs = 150_000;

export interface ReconcileResult {
  readonly plan: Plan;
  readonly observation: Observation;
  readonly tuning: TuningPlan;
  /** Result of the transaction; null if no change of the bridges was needed. */
  readonly transaction: TransactionResult | null;
  /** Number of D-Bus calls of this run. */
  readonly busCalls: number;
}

/**
 * Takes the lock, recovers earlier runs, observes the node, makes a plan, and runs the plan as a transaction with a
 * proof. Every planned change of br-ex and of bridges of `bridge add` goes through this function.
 */
export async function reconcile(
  planner: Planner,
  wait: WaitOptions,
  options: ReconcileOptions,
): Promise<ReconcileResult> {
  const underLock = options.isBrief === true ? withBriefLock : withLock;
  return underLock(
    options.command,
    async () => {
      const deadline = startDeadline(runLimitMs);
      const endSignals = interruptOnSignals(deadline, options.say);
      const record = startRecord(options.command);
      try {
        const openWithin = async (limitMs: number): Promise<Node> => {
          const { openNodeWithin } = await import('./rollback/reconnect.ts');
          return openNodeWithin(limitMs, deadline, options.say);
        };
        const result = await repeatUntilPlanned<Node, ReconcileResult>(
          {
            open: () => (wait.servicesMs === 0 ? openNode() : openWithin(wait.servicesMs)),
            reopen: () => openWithin(repairWait.servicesMs),
            work: (node, planned) =>
              endingWith(
                () => reconcileLocked(node, planner, wait, options, deadline, record, planned),
                () => node.close(),
              ),
          },
          options.say,
        );
        record.ended(result.transaction !== null || result.tuning.steps.length > 0, result.transaction);
        return result;
      } catch (error) {
        record.failed(error);
        throw withStateOfNode(error);
      } finally {
        endSignals();
        deadline.clear();
      }
    },
    options.say,
  );
}

async function reconcileLocked(
  node: Node,
  planner: Planner,
  wait: WaitOptions,
  options: ReconcileOptions,
  deadline: Deadline,
  record: RunRecorder,
  planned: () => void,
): Promise<ReconcileResult> {
  if (hasOpenJournals(journalDirectory)) {
    const { recoverEarlierRuns } = await import('./rollback/recover.ts');
    await recoverEarlierRuns(node, options, deadline);
  }
  const { plan, observation } = await planWhenReady(node, planner, wait, options.say, deadline);
  planned();
  const tuning = options.tuner?.(observation, plan) ?? { steps: [], differences: [], notes: [] };
  record.planned(plan);
  options.onPlan(plan, observation);
  let transaction: TransactionResult | null = null;
  if (plan.outcome === 'unchanged') {
    if (plan.wanted.added !== undefined) writeAdded(plan.wanted.added);
    rememberUplink(plan, observation, null, options);
    noteOthers(plan, observation, options.command === 'apply');
    // While ovs-vswitchd does not answer, bridges do not forward packets for which the data path has no flow yet, so
    // `apply` fails. A repair does not probe ovs-vswitchd, because later events cause further repairs.
    if (options.command === 'apply') await node.ovs.probeVswitchd();
  } else {
    const { changeNode } = await import('./change.ts');
    transaction = await changeNode(node, plan, observation, options, deadline, record);
    // The foreign ports and kernel entries are recorded again, because the kernel has by now accepted or refused the
    // entries that the run has restored. The next run then does not restore a refused entry again.
    if (plan.differences.some(({ kind }) => kind === 'given')) noteOthers(plan, await node.observe(), false);
    else forgetOthers(plan, observation);
  }
  if (tuning.steps.length > 0) {
    const { runTuning } = await import('./steps/tuning-steps.ts');
    await runTuning(node, tuning.steps, options.tuned);
  }
  return { plan, observation, tuning, transaction, busCalls: node.bus.callCount() };
}
