import { type Deadline, waitFor } from '../../deadline.ts';
import { AgentError } from '../../errors.ts';
import { follow } from './exec.ts';

/** `ip monitor` does not say when it listens, and what the kernel announces before that is lost: then this asks again. */
const askAgainMs = 1_000;

/**
 * Waits until a condition on links, addresses or routes holds. It is asked again after every change the kernel announces
 * (rtnetlink, through `ip monitor`), and after a second without one. Fails with what `onTimeout` makes.
 */
export async function waitForKernel(
  condition: () => boolean,
  deadline: Deadline,
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
      // Asked once more: it may have come true while the monitor started.
      look();
      const timer = setInterval(() => look(), askAgainMs);
      return () => clearInterval(timer);
    }).catch((error: unknown) => {
      // What the kernel shows in its files may be newer than the last thing it announced.
      if (deadline.signal.aborted || !condition()) throw error;
    });
  } finally {
    stop();
  }
}

/**
 * Calls back after every change of links, addresses and routes that the kernel announces, several of them together, until the function that it
 * resolves with is called. `onEnd`: `ip monitor` has ended by itself, and nothing is announced any more.
 */
export function followKernel(onChange: () => void, onEnd: () => void): Promise<() => void> {
  return follow('ip', ['-o', 'monitor', 'link', 'address', 'route'], onChange, onEnd);
}

/** What keeps network changes from being followed. */
export function monitorEnded(): AgentError {
  return new AgentError('command-missing', '`ip monitor` ended: network changes cannot be followed', {
    hint: 'check that iproute2 and util-linux are installed: setpriv --pdeathsig KILL ip monitor',
  });
}
