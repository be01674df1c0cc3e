import type { Deadline } from '../deadline.ts';
import { monotonicMs, throwIfStopped } from '../deadline.ts';
import { type ActivationWatch, watchActivations } from '../drivers/networkmanager/activation.ts';
import { createCheckpoint, destroyCheckpoint, pushCheckpointForward } from '../drivers/networkmanager/checkpoint.ts';
import type { NetworkManager } from '../drivers/networkmanager/nm-client.ts';
import type { OpenVSwitch } from '../drivers/openvswitch/ovs-client.ts';
import { AgentError, asAgentError, type ErrorKind, isAgentError, messageOf, withFacts } from '../errors.ts';
import { endingWith, failedThen, failuresOf, followedBy } from '../failures.ts';
import type { JournalHeader, TransactionState } from '../model/journal.ts';
import { confirmReserveSeconds } from '../model/limits.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import type { ProgressEvent } from '../model/progress.ts';
import type { TransactionResult } from '../model/run-record.ts';
import { isDisruptive } from '../model/step-traits.ts';
import { checkpointSeconds } from './checkpoint-timer.ts';
import { proveDesiredState } from './desired-state.ts';
import type { FaultPoints } from './fault-points.ts';
import { type Journal, openJournal, pruneJournals } from './journal/journal-files.ts';
import { askNeighbours, proveMoved } from './prove.ts';
import { proveInbound } from './prove-inbound.ts';
import { provePorts } from './prove-ports.ts';
import { execute } from './steps/execute-step.ts';
import { stepContext } from './steps/step-context.ts';
import { watchVswitchd } from './vswitchd-watch.ts';

/** Interval at which a run extends the timer of its checkpoint and probes ovs-vswitchd. */
const heartbeatMs = 3_000;

/** Connections and functions that a transaction uses. */
export interface TransactionPorts {
  readonly nm: NetworkManager;
  readonly ovs: OpenVSwitch;
  readonly deadline: Deadline;
  readonly observe: () => Promise<Observation>;
  readonly journalDirectory: string;
  readonly now: () => Date;
  readonly progress: (event: ProgressEvent) => void;
  readonly faultPoint: FaultPoints;
  /** Rolls back after a failure. Resolves with an error if the rollback was incomplete, otherwise with null. */
  readonly restore: (checkpoint: string | null) => Promise<AgentError | null>;
}

/**
 * Runs the plan in a journal's header as one transaction: journal, checkpoint, steps, proof, commit. After any failure
 * that follows the creation of the journal, rolls back, proves the old state and throws the failure. If the rollback
 * was incomplete, throws `not-restored` with the earlier failures. After a crash between checkpoint and commit,
 * NetworkManager rolls back when the checkpoint's timer expires.
 */
export async function runTransaction(
  ports: TransactionPorts,
  header: JournalHeader,
  observation: Observation,
  confirmTimeoutSeconds: number | null,
): Promise<TransactionResult> {
  const { nm, deadline, faultPoint } = ports;
  await ports.ovs.probeVswitchd();
  await faultPoint('before journal');
  const journal = openJournal(ports.journalDirectory, header);
  const watch = watchActivations(nm);
  const endVanished = nm.onVanished((error) => deadline.interrupt(error));
  const checkpoint = heldCheckpoint(ports);
  const work = async (): Promise<TransactionResult> => {
    await faultPoint('after journal');
    await faultPoint('before checkpoint');
    journal.append({ event: 'checkpoint', path: await checkpoint.make() });
    await faultPoint('after checkpoint');
    const numbered = numberedSteps(ports, header.plan, journal);
    await runPlan(ports, header.plan, observation, watch, numbered);
    checkpoint.stopPushing();
    const confirmUntil =
      confirmTimeoutSeconds === null
        ? null
        : new Date(ports.now().getTime() + confirmTimeoutSeconds * 1000).toISOString();
    await numbered.run('commit', () => checkpoint.leave(confirmTimeoutSeconds));
    await faultPoint('before journal-end');
    const state = confirmUntil === null ? 'committed' : 'awaiting-confirm';
    journal.setState(state, ports.now().toISOString(), null, confirmUntil === null ? {} : { confirmUntil });
    return { id: header.id, state, confirmUntil, stepTimesMs: numbered.timesMs };
  };
  const end = (): void => {
    checkpoint.stopPushing();
    watch.stop();
    endVanished();
    journal.close();
    pruneJournals(ports.journalDirectory);
  };
  return endingWith(
    () => work().catch((error: unknown) => rollBack(ports, header.id, journal, checkpoint, error)),
    end,
  );
}

/** Rolls back after a failure of the run, and throws that failure together with those of the rollback. */
async function rollBack(
  { deadline, faultPoint, restore, now }: TransactionPorts,
  id: string,
  journal: Journal,
  checkpoint: HeldCheckpoint,
  error: unknown,
): Promise<never> {
  checkpoint.stopPushing();
  await faultPoint('before rollback');
  const left = await restore(checkpoint.path()).catch((thrown: unknown) => {
    throw followedBy(rootCause(asAgentError(error), deadline), brokenOff(thrown));
  });
  await faultPoint('after rollback');
  // If NetworkManager has exited, the exit is the cause of the failure, even if the failure was known before the exit.
  const first = rootCause(asAgentError(error), deadline);
  const ended = left === null ? 'rolled-back' : 'not-restored';
  const failure = withFacts(left === null ? first : followedBy(first, left), { transaction: id, ended });
  throw await failedThen(failure, () => noteEnd(journal, ended, now(), failure));
}

/**
 * Returns the error for a rollback that ended with an unexpected error. The journal stays open, and the next run rolls
 * back again.
 */
function brokenOff(thrown: unknown): AgentError {
  return new AgentError('not-restored', `the rollback broke off: ${messageOf(thrown)}`, {
    hint: 'run `microshift-net recover`',
    cause: thrown,
  });
}

/** Runs the steps and the proof. Fails with the first failure. */
async function runPlan(
  { nm, ovs, observe, deadline }: TransactionPorts,
  plan: Plan,
  observation: Observation,
  watch: ActivationWatch,
  numbered: NumberedSteps,
): Promise<void> {
  const neighbourhood = askNeighbours(plan, observation);
  const context = stepContext({ nm, ovs, watch, deadline });
  for (const step of plan.steps) {
    if (isDisruptive(step)) await neighbourhood.asked;
    await numbered.run(step, () => execute(context, step));
  }
  await numbered.run('prove', async () => {
    await proveMoved(plan, neighbourhood.answered(), deadline);
    await proveInbound(plan, observation, deadline);
    await provePorts(plan, observation, deadline);
  });
  proveDesiredState(plan, await observe());
}

interface NumberedSteps {
  readonly timesMs: readonly number[];
  /** Runs a step, reports its progress and appends it to the journal. */
  run(step: ProgressEvent['step'], work: () => Promise<void>): Promise<void>;
}

function numberedSteps(
  { deadline, progress, faultPoint }: TransactionPorts,
  plan: Plan,
  journal: Journal,
): NumberedSteps {
  const total = plan.steps.length + 2;
  const timesMs: number[] = [];
  return {
    timesMs,
    run: async (step, work) => {
      const index = timesMs.length;
      await faultPoint(`before step ${index + 1}`);
      throwIfStopped(deadline);
      const started = monotonicMs();
      progress({ index, total, step, state: 'started', tookMs: 0 });
      try {
        await work();
      } catch (error) {
        progress({ index, total, step, state: 'failed', tookMs: monotonicMs() - started });
        throw error;
      }
      const tookMs = Math.round(monotonicMs() - started);
      timesMs.push(tookMs);
      if (typeof step !== 'string') journal.append({ event: 'step', index: plan.steps.indexOf(step), tookMs });
      progress({ index, total, step, state: 'done', tookMs });
      await faultPoint(`after step ${index + 1}`);
    },
  };
}

interface HeldCheckpoint {
  make(): Promise<string>;
  /** Path of the checkpoint; null before it is created. */
  path(): string | null;
  stopPushing(): void;
  /**
   * Ends the use of the checkpoint when the change is kept. If `confirmTimeoutSeconds` is null, destroys the
   * checkpoint. Otherwise sets its timer to 30 s more than `confirmTimeoutSeconds`, so that the agent can roll back
   * before NetworkManager does. NetworkManager rolls back when this timer expires, unless the change is confirmed or
   * rolled back before.
   */
  leave(confirmTimeoutSeconds: number | null): Promise<void>;
}

/**
 * Returns the holder of a transaction's checkpoint. It extends the checkpoint's timer until `stopPushing` is called,
 * and stops the run if ovs-vswitchd does not answer.
 */
function heldCheckpoint({ nm, ovs, deadline }: TransactionPorts): HeldCheckpoint {
  const vswitchd = watchVswitchd(ovs, deadline);
  let path: string | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  return {
    make: async () => {
      const made = await createCheckpoint(nm, checkpointSeconds);
      path = made;
      heartbeat = setInterval(() => {
        // An extension of the checkpoint's timer fails only if NetworkManager or the bus has stopped. The run also
        // watches for both, and then ends with a more precise error.
        pushCheckpointForward(nm, made, checkpointSeconds).catch(() => undefined);
        vswitchd.look();
      }, heartbeatMs);
      return made;
    },
    path: () => path,
    stopPushing: () => clearInterval(heartbeat),
    leave: async (confirmTimeoutSeconds) => {
      if (path === null) return;
      if (confirmTimeoutSeconds === null) await destroyCheckpoint(nm, path);
      else await pushCheckpointForward(nm, path, confirmTimeoutSeconds + confirmReserveSeconds);
    },
  };
}

/**
 * Returns the cause of a failure. A step can fail before it is known that NetworkManager or the bus daemon has exited
 * or that ovs-vswitchd hangs; NetworkManager, for example, closes its connections before it leaves the bus. The exit or
 * hang is then the cause that the administrator has to correct.
 */
function rootCause(failure: AgentError, deadline: Deadline): AgentError {
  const reason: unknown = deadline.signal.reason;
  const lost: readonly ErrorKind[] = ['networkmanager-not-running', 'dbus-lost', 'vswitchd-not-responding'];
  return isAgentError(reason) && lost.includes(reason.kind) ? followedBy(reason, failure) : failure;
}

/**
 * Writes the end of a transaction with all its failures to the journal. If the write fails, the journal stays open, and
 * the next run recovers the transaction.
 */
function noteEnd(journal: Journal, state: TransactionState, at: Date, failure: AgentError): void {
  const [first = failure.message, ...rest] = failuresOf(failure).map(messageOf);
  journal.setState(state, at.toISOString(), first, rest.length === 0 ? {} : { later: rest.join('; then ') });
}
