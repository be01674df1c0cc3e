import { AgentError } from './errors.ts';

/** How long a run may still take, and whether it was told to stop. Waits end when either says so. */
export interface Deadline {
  /** Milliseconds left, never negative. */
  readonly remainingMs: () => number;
  /** Aborted with an AgentError as its reason when the run must stop (SIGTERM, lost bus, time over). */
  readonly signal: AbortSignal;
  /** Stops every wait with this error. */
  readonly interrupt: (error: AgentError) => void;
  /** Must be called at the end, or the timer keeps the process alive. */
  readonly clear: () => void;
}

/** Starts the clock of a run; at its end every wait fails with `deadline-exceeded`. `within`: a deadline whose end is the end of this one, too. */
export function startDeadline(limitMs: number, within?: Deadline): Deadline {
  const controller = new AbortController();
  const end = monotonicMs() + Math.min(limitMs, within?.remainingMs() ?? limitMs);
  const interrupt = (error: AgentError): void => controller.abort(error);
  const timer = setTimeout(() => interrupt(deadlineExceeded(limitMs)), limitMs);
  const stopped = (): void => interrupt(within?.signal.reason);
  within?.signal.addEventListener('abort', stopped);
  if (within?.signal.aborted === true) stopped();
  return {
    remainingMs: () => Math.max(0, end - monotonicMs()),
    signal: controller.signal,
    interrupt,
    clear: () => {
      clearTimeout(timer);
      within?.signal.removeEventListener('abort', stopped);
    },
  };
}

/** Throws the reason the run was stopped for, if it was. */
export function throwIfStopped(deadline: Deadline): void {
  if (deadline.signal.aborted) throw deadline.signal.reason;
}

/**
 * Waits for an event: `start` is given resolve and reject and returns what ends its subscriptions.
 * Fails with `onTimeout()` after limitMs, or with the reason the deadline was stopped for, whichever comes first.
 */
export function waitFor<T>(
  deadline: Pick<Deadline, 'signal'>,
  limitMs: number,
  onTimeout: () => Error,
  start: (resolve: (value: T) => void, reject: (error: Error) => void) => () => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | undefined;
    let ended = false;
    const finish = (): void => {
      ended = true;
      clearTimeout(timer);
      deadline.signal.removeEventListener('abort', aborted);
      stop?.();
    };
    const succeed = (value: T): void => {
      finish();
      resolve(value);
    };
    const fail = (error: Error): void => {
      finish();
      reject(error);
    };
    const aborted = (): void => fail(deadline.signal.reason as Error);
    const timer = setTimeout(() => fail(onTimeout()), limitMs);
    if (deadline.signal.aborted) return aborted();
    deadline.signal.addEventListener('abort', aborted);
    stop = start(succeed, fail);
    // It may have come while the subscription was being made, when there was nothing to end yet.
    if (ended) stop();
    return undefined;
  });
}

function deadlineExceeded(limitMs: number): AgentError {
  return new AgentError('deadline-exceeded', `the run did not end within ${Math.round(limitMs / 1000)} s`, {
    hint: 'look at what it waited for with --verbose, mend that, and run it again',
    facts: { limitMs },
  });
}

/**
 * Milliseconds on a clock that is never set, for durations. `performance.now()` is the same clock, but its first use loads the whole
 * of node:perf_hooks, a twentieth of a run with nothing to do.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
