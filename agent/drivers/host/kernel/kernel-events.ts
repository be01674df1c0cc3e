import { type Deadline, waitFor } from '../../../deadline.ts';
import { AgentError } from '../../../errors.ts';
import { follow } from '../process/exec.ts';

/**
 * Interval at which a condition is evaluated even if no notification arrives. These evaluations are necessary, because
 * `ip monitor` does not report when it begins to listen, and misses earlier notifications of the kernel.
 */
const askAgainMs = 1_000;

/**
 * Waits until a condition on links, addresses or routes is true. Evaluates it after every change that the kernel
 * reports (rtnetlink, through `ip monitor`), and once a second. Fails with the error of `onTimeout` after the limit,
 * and with `command-missing` if `ip monitor` ends.
 */
export async function waitForKernel(
  condition: () => boolean,
  deadline: Pick<Deadline, 'signal'>,
  limitMs: number,
  onTimeout: () => Error,
): Promise<void> {
  if (condition()) return;
  let look: () => void = () => undefined;
  let ended: () => void = () => undefined;
  const stop = await followKernel(
    () => look(),
    () => ended(),
  );
  try {
    await waitFor<void>(deadline, limitMs, onTimeout, (resolve, reject) => {
      look = () => {
        if (condition()) resolve();
      };
      ended = () => reject(monitorEnded());
      // The condition is evaluated at once, because it may have become true while `ip monitor` started.
      look();
      const timer = setInterval(() => look(), askAgainMs);
      return () => clearInterval(timer);
    }).catch((error: unknown) => {
      // At the limit, and at the end of `ip monitor`, the condition is evaluated once more, because the kernel's files
      // may be newer than its last notification.
      if (deadline.signal.aborted || !condition()) throw error;
    });
  } finally {
    stop();
  }
}

/**
 * Calls `onChange` after changes of links, addresses and routes that the kernel reports, until the returned function is
 * called. Changes that arrive together cause one call. Calls `onEnd` if `ip monitor` ends by itself, after which no
 * further change is reported.
 */
export function followKernel(onChange: () => void, onEnd: () => void): Promise<() => void> {
  return follow('ip', ['-o', 'monitor', 'link', 'address', 'route'], onChange, onEnd);
}

/** Error for an `ip monitor` that has ended. */
export function monitorEnded(): AgentError {
  return new AgentError('command-missing', '`ip monitor` ended: network changes cannot be followed', {
    hint: 'check that iproute2 and util-linux are installed: setpriv --pdeathsig KILL ip monitor',
  });
}
