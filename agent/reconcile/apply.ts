import { journalDirectory, transactionId } from '../apply/journal.ts';
import { lockDirectory, takeLock } from '../apply/lock.ts';
import { restoreOldState } from '../apply/restore.ts';
import { type ProgressEvent, runTransaction, type TransactionResult } from '../apply/transaction.ts';
import { runTuning } from '../apply/tune.ts';
import { openNode } from '../assemble.ts';
import { type Deadline, startDeadline } from '../deadline.ts';
import { asAgentError } from '../errors.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { TuningPlan, TuningStep } from '../model/tuning.ts';
import { currentBridges } from '../plan/current.ts';
import { planReturn } from '../plan/plan.ts';
import { agentVersion } from '../version.ts';
import { proveWanted } from './proof.ts';
import { reconnectNode } from './reconnect.ts';
import { recoverEarlierRuns } from './recover.ts';
import { interruptOnSignals } from './signals.ts';
import { writeHint, writeStatus } from './state-files.ts';
import { planWhenReady, type WaitOptions } from './wait.ts';

/** Runs shorter than a DHCP server's worst case would fail for nothing; the unit's TimeoutStartSec is above this plus the restore. */
export const runLimitMs = 150_000;

export interface ReconcileOptions {
  readonly command: string;
  readonly confirmTimeoutSeconds: number | null;
  readonly say: (message: string) => void;
  readonly progress: (event: ProgressEvent) => void;
  readonly onPlan: (plan: Plan, observation: Observation) => void;
  /** How Open vSwitch shall run; asked before anything is touched, run once the network is as wanted. */
  readonly tuner?: Tuner;
  readonly tuned: (step: TuningStep, tookMs: number) => void;
}

/** Plans the tuning of Open vSwitch from an observation. */
export type Tuner = (observation: Observation) => TuningPlan;

export interface ReconcileResult {
  readonly plan: Plan;
  readonly observation: Observation;
  readonly tuning: TuningPlan;
  /** null: nothing was to do. */
  readonly transaction: TransactionResult | null;
  /** D-Bus calls this run made. */
  readonly busCalls: number;
}

/** What a run aims at, asked again after every observation until it is not `waiting`. */
export type Planner = (
  observation: Observation,
  routeWaitOver: boolean,
) => { kind: 'planned'; plan: Plan } | { kind: 'waiting'; trace: readonly string[] };

/** lock → recover → observe → plan → transaction → proof. The one way anything on the node is changed. */
export async function reconcile(
  planner: Planner,
  wait: WaitOptions,
  options: ReconcileOptions,
): Promise<ReconcileResult> {
  const lock = await takeLock(lockDirectory, options.command);
  const deadline = startDeadline(runLimitMs);
  const endSignals = interruptOnSignals(deadline);
  try {
    return await reconcileLocked(planner, wait, options, deadline);
  } finally {
    endSignals();
    deadline.clear();
    lock.release();
  }
}

async function reconcileLocked(
  planner: Planner,
  wait: WaitOptions,
  options: ReconcileOptions,
  deadline: Deadline,
): Promise<ReconcileResult> {
  const node = await openNode();
  let current = node;
  try {
    await recoverEarlierRuns(node, journalDirectory, options.say, deadline);
    const { plan, observation } = await planWhenReady(node, planner, wait, options.say, deadline);
    const tuning = options.tuner?.(observation) ?? { steps: [], differences: [], notes: [] };
    options.onPlan(plan, observation);
    if (plan.outcome === 'unchanged') {
      writeHint(plan, observation);
      await runTuning(node, tuning.steps, options.tuned);
      return { plan, observation, tuning, transaction: null, busCalls: node.bus.callCount() };
    }
    const previous = currentBridges(observation);
    const header = {
      format: 1 as const,
      id: transactionId(new Date(), process.pid),
      command: options.command,
      agentVersion,
      startedAt: new Date().toISOString(),
      bootId: observation.host.bootId,
      plan,
      previous,
    };
    const ports = {
      nm: node.nm,
      ovs: node.ovs,
      deadline,
      observe: node.observe,
      journalDirectory,
      now: () => new Date(),
      progress: options.progress,
      restore: (failed: Plan, checkpoint: string | null) =>
        restoreOldState(
          {
            reconnect: async (limit: Deadline) => {
              current = await reconnectNode(node, limit, options.say);
              return current;
            },
            planReturn,
            say: options.say,
          },
          previous,
          failed.before,
          checkpoint,
        ),
    };
    const transaction = await runTransaction(ports, plan, header, observation, options.confirmTimeoutSeconds, (after) =>
      proveWanted(plan, after),
    );
    remember(plan, observation, transaction, options.say);
    await runTuning(node, tuning.steps, options.tuned);
    return { plan, observation, tuning, transaction, busCalls: node.bus.callCount() };
  } finally {
    node.close();
    if (current !== node) current.close();
  }
}

/** The hint for the next boot and the status for monitoring. The node is changed and proven by now: a full disk cannot fail that. */
function remember(
  plan: Plan,
  observation: Observation,
  transaction: TransactionResult,
  say: (message: string) => void,
): void {
  const { id, state } = transaction;
  try {
    writeHint(plan, observation);
    writeStatus({ transaction: id, state, at: new Date().toISOString(), uplink: plan.choice?.interface ?? null });
  } catch (error) {
    say(`warning: ${asAgentError(error).message}`);
  }
}
