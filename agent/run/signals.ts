import type { Deadline } from '../deadline.ts';
import { AgentError } from '../errors.ts';

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
type Signal = (typeof signals)[number];

/**
 * Makes SIGTERM, SIGINT and SIGHUP (end of the SSH session) stop the run, which then rolls back. Further signals do not
 * stop the rollback and are answered with a message. Returns the function that removes the handlers.
 */
export function interruptOnSignals(
  deadline: Pick<Deadline, 'signal' | 'interrupt'>,
  say: (message: string) => void,
): () => void {
  return onSignals((signal) => {
    if (deadline.signal.aborted) say(`${signal}: the run is stopping already, and its rollback goes on to its end`);
    else {
      const hint = 'run it again if its change is still wanted';
      deadline.interrupt(new AgentError('interrupted', `stopped by ${signal}`, { hint }));
    }
  });
}

/**
 * Runs work that signals must not stop, and reports each signal with a message that says so. `what` is the name of the
 * work in that message.
 */
export async function uninterrupted<T>(
  what: string,
  say: (message: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const end = onSignals((signal) => say(`${signal} does not stop ${what}, which goes on to its end`));
  return work().finally(end);
}

/** Handles signals instead of ending the process, until the returned function is called. */
function onSignals(handle: (signal: Signal) => void): () => void {
  const handlers = signals.map((signal) => {
    const handler = (): void => handle(signal);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const end of handlers) end();
  };
}
