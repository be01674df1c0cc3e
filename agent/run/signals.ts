import type { Deadline } from '../deadline.ts';
import { AgentError } from '../errors.ts';

/**
 * Makes SIGTERM, SIGINT and SIGHUP (end of the SSH session) stop the run, which then rolls back. Returns the function
 * that removes the handlers.
 */
export function interruptOnSignals(deadline: Deadline): () => void {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const handlers = signals.map((signal) => {
    const handler = (): void =>
      deadline.interrupt(
        new AgentError('interrupted', `stopped by ${signal}`, { hint: 'run it again when it may take its time' }),
      );
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const end of handlers) end();
  };
}
