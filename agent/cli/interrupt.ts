import { writeSync } from 'node:fs';

/**
 * Ends the process on SIGINT (Ctrl-C) with a sentence about the node, while no command handles the signal itself: a
 * command that changes the node handles it from before its first change to the end of its rollback. The process ends by
 * the signal, so that the shell sees it (signal(7); bash(1), "SIGNALS").
 */
export function endOnInterrupt(): void {
  const onInterrupt = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 1) return;
    process.off(signal, onInterrupt);
    try {
      writeSync(2, `microshift-net: stopped by ${signal}; \`microshift-net status\` shows the state of the node\n`);
    } finally {
      process.kill(process.pid, signal);
    }
  };
  process.on('SIGINT', onInterrupt);
}
