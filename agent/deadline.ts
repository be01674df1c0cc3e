import { AgentError } from './errors.ts';

/**
 * Time limit of a run, and the signal that stops the run. All waits end when the limit expires or the signal is
 * aborted.
 */
export interface Deadline {
  /** Returns the remaining time in ms, never negative. */
  readonly remainingMs: () => number;
  /**
   * Signal that is aborted, with an AgentError as its reason, when the run must stop (SIGTERM, lost bus, expired
   * limit).
   */
  readonly signal: AbortSignal;
  /** Stops every wait of the run with the given error. */
  readonly interrupt: (error: AgentError) => void;
  /** Removes the timer, which would otherwise keep the process alive. Has to be called when the run has ended. */
  readonly clear: () => void;
}

/**
 * Starts the time limit of a run. After the limit, every wait fails with `deadline-exceeded`. If the enclosing deadline
 * `within` is stopped, this deadline is stopped as well.
 */
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

/** Throws the reason of the stop if the run has been stopped. */
export function throwIfStopped(deadline: Deadline): void {
  if (deadline.signal.aborted) throw deadline.signal.reason;
}

/**
 * Waits for an event. `start` subscribes to the event with the functions `resolve` and `reject`, and returns a function
 * that ends the subscription. Fails with `onTimeout()` after limitMs, or with the reason for which the deadline was
 * stopped, whichever comes first.
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
    // The subscription is ended here if the event happened during `start`, before the return value of `start` was
    // known.
    if (ended) stop();
    return undefined;
  });
}

function deadlineExceeded(limitMs: number): AgentError {
  return new AgentError('deadline-exceeded', `the run did not end within ${Math.round(limitMs / 1000)} s`, {
    hint: 'look at what it waited for with --verbose, fix that, and run it again',
    facts: { limitMs },
  });
}

/**
 * Returns the time in ms of a clock that cannot be set (clock_gettime(2), CLOCK_MONOTONIC), for durations.
 * `performance.now()` uses the same clock, but its first use loads all of node:perf_hooks, which takes a twentieth of
 * the time of a run that changes nothing.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
