import { writeSync } from 'node:fs';

/**
 * Makes SIGINT (Ctrl-C) end the process, after a message that names the command which shows the state of the node. The
 * function has no effect while a command has its own handler for SIGINT, because such a command rolls back or has to
 * continue to its end. The process ends by the signal and not with an exit code, so that the shell recognizes the
 * interruption (signal(7); bash(1), "SIGNALS").
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
