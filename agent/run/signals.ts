import type { Deadline } from '../deadline.ts';
import { AgentError } from '../errors.ts';

/** SIGTERM, SIGINT and SIGHUP (the SSH session that started us is gone) stop the run, which then rolls back. Returns the end of it. */
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
