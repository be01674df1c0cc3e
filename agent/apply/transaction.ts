import type { Deadline } from '../deadline.ts';
import { monotonicMs, throwIfStopped } from '../deadline.ts';
import { watchActivations } from '../drivers/networkmanager/activation.ts';
import { createCheckpoint, destroyCheckpoint, pushCheckpointForward } from '../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../drivers/networkmanager/client.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/client.ts';
import { type AgentError, asAgentError, type ErrorKind, isAgentError, withFacts } from '../errors.ts';
import type { JournalHeader, TransactionState } from '../model/journal.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan, Step } from '../model/plan.ts';
import { checkpointSeconds } from './checkpoint-timer.ts';
import { execute, stepContext } from './execute.ts';
import type { FaultPoints } from './fault-points.ts';
import { type Journal, openJournal, pruneJournals } from './journal.ts';
import { askNeighbours, proveMoved } from './prove.ts';
import { watchVswitchd } from './vswitchd-watch.ts';

/** How often the checkpoint's timer is pushed forward while we live, and vswitchd is asked whether it does. */
const heartbeatMs = 3_000;

/** What a transaction needs of the outside world. */
export interface TransactionPorts {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly deadline: Deadline;
  readonly observe: () => Promise<Observation>;
  readonly journalDirectory: string;
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
  readonly faultPoint: FaultPoints;
  /** Called when a run failed and the old state must come back; settles with what is left, or null. */
  readonly restore: (plan: Plan, checkpoint: string | null) => Promise<AgentError | null>;
}

/** One numbered line of progress. */
export interface ProgressEvent {
  readonly index: number;
  readonly total: number;
  readonly step: Step | 'prove' | 'commit';
  readonly state: 'started' | 'done' | 'failed';
  readonly tookMs: number;
}

export interface TransactionResult {
  readonly id: string;
  readonly state: 'committed' | 'awaiting-confirm';
  readonly confirmUntil: string | null;
  readonly stepTimesMs: readonly number[];
}

/**
 * Runs a plan as one transaction: journal, checkpoint, steps, proof, commit. On any failure the old state is brought back and
 * proved, and the failure is thrown; `not-restored` when that did not work. Dying at any point leaves a checkpoint whose timer
 * brings the old state back without us.
 */
export async function runTransaction(
  ports: TransactionPorts,
  plan: Plan,
  header: JournalHeader,
  observation: Observation,
  confirmTimeoutSeconds: number | null,
  prove: (observation: Observation) => void,
): Promise<TransactionResult> {
  const { nm, deadline, progress, now, faultPoint } = ports;
  await ports.ovs.probeVswitchd();
  await faultPoint('before journal');
  const journal = openJournal(ports.journalDirectory, header);
  const watch = watchActivations(nm);
  const endVanished = nm.onVanished((error) => deadline.interrupt(error));
  const vswitchd = watchVswitchd(ports.ovs, deadline);
  const total = plan.steps.length + 2;
  const stepTimesMs: number[] = [];
  let checkpoint: string | null = null;
  let heartbeat: NodeJS.Timeout | undefined;

  const timed = async (step: ProgressEvent['step'], work: () => Promise<void>): Promise<void> => {
    throwIfStopped(deadline);
    const index = stepTimesMs.length;
    await faultPoint(`before step ${index + 1}`);
    const started = monotonicMs();
    progress({ index, total, step, state: 'started', tookMs: 0 });
    try {
      await work();
    } catch (error) {
      progress({ index, total, step, state: 'failed', tookMs: monotonicMs() - started });
      throw error;
    }
    const tookMs = Math.round(monotonicMs() - started);
    stepTimesMs.push(tookMs);
    if (typeof step !== 'string') journal.append({ event: 'step', index: plan.steps.indexOf(step), tookMs });
    progress({ index, total, step, state: 'done', tookMs });
    await faultPoint(`after step ${index + 1}`);
  };

  try {
    await faultPoint('after journal');
    await faultPoint('before checkpoint');
    checkpoint = await createCheckpoint(nm, checkpointSeconds);
    journal.append({ event: 'checkpoint', path: checkpoint });
    const own = checkpoint;
    heartbeat = setInterval(() => {
      // A push that fails means NetworkManager or the bus is gone, which the watches above report with their own error.
      pushCheckpointForward(nm, own, checkpointSeconds).catch(() => undefined);
      vswitchd.look();
    }, heartbeatMs);
    await faultPoint('after checkpoint');
    const neighbourhood = askNeighbours(plan, observation);
    const context = stepContext({ nm, ovs: ports.ovs, watch, deadline });
    for (const step of plan.steps) {
      if (isDisruptive(step)) await neighbourhood.asked;
      await timed(step, () => execute(context, step));
    }
    await timed('prove', () => proveMoved(plan, neighbourhood.answered(), deadline));
    prove(await ports.observe());
    throwIfStopped(deadline);
    clearInterval(heartbeat);
    const until =
      confirmTimeoutSeconds === null ? null : new Date(now().getTime() + confirmTimeoutSeconds * 1000).toISOString();
    await timed('commit', async () => {
      if (confirmTimeoutSeconds === null) await destroyCheckpoint(nm, own);
      else await pushCheckpointForward(nm, own, confirmTimeoutSeconds);
    });
    await faultPoint('before journal-end');
    if (until === null) journal.setState('committed', now().toISOString(), null);
    else journal.setState('awaiting-confirm', now().toISOString(), null, until);
    return {
      id: header.id,
      state: until === null ? 'committed' : 'awaiting-confirm',
      confirmUntil: until,
      stepTimesMs,
    };
  } catch (error) {
    clearInterval(heartbeat);
    await faultPoint('before rollback');
    const left = await ports.restore(plan, checkpoint);
    await faultPoint('after rollback');
    const failure = rootCause(asAgentError(error), deadline);
    const ended = left === null ? 'rolled-back' : 'not-restored';
    noteEnd(journal, ended, now(), left ?? failure);
    throw withFacts(left ?? failure, { transaction: header.id, ended });
  } finally {
    clearInterval(heartbeat);
    watch.stop();
    endVanished();
    journal.close();
    pruneJournals(ports.journalDirectory);
  }
}

/**
 * NetworkManager ends its connections before it leaves the bus, so a step can fail before its end is known. What is known once the old
 * state is back is what the admin has to mend.
 */
function rootCause(failure: AgentError, deadline: Deadline): AgentError {
  const reason: unknown = deadline.signal.reason;
  const lost: readonly ErrorKind[] = ['networkmanager-not-running', 'dbus-lost', 'vswitchd-not-responding'];
  return isAgentError(reason) && lost.includes(reason.kind) ? reason : failure;
}

/** A full disk must not hide why the run failed; the next run finds the journal open and closes it. */
function noteEnd(journal: Journal, state: TransactionState, at: Date, failure: AgentError): void {
  try {
    journal.setState(state, at.toISOString(), failure.message);
  } catch {
    // told by the failure itself, if the disk was the cause
  }
}

/** Steps after which the node's addresses may be elsewhere; whoever must answer afterwards has to be asked before. */
function isDisruptive(step: Step): boolean {
  return (
    step.do === 'attachUplink' ||
    step.do === 'clearUplink' ||
    step.do === 'detachUplink' ||
    step.do === 'deleteProfiles' ||
    (step.do === 'activate' && step.profiles.some((profile) => profile.interface !== null))
  );
}
