import type { Deadline } from '../../deadline.ts';
import { waitForKernel } from '../../drivers/host/kernel/kernel-events.ts';
import { readLinks } from '../../drivers/host/kernel/links.ts';
import { AgentError } from '../../errors.ts';
import { addressesOf, isBindable } from '../../model/observation.ts';

/**
 * Waits until the interface has every address and each can be bound: duplicate address detection has ended and found no
 * duplicate. Fails with `activation-timeout`.
 */
export function waitForAddresses(
  interfaceName: string,
  addresses: readonly string[],
  deadline: Deadline,
  limitMs: number,
): Promise<void> {
  const missing = (): readonly string[] => {
    const link = readLinks().find((entry) => entry.name === interfaceName);
    const bindable = addressesOf(link, isBindable);
    return addresses.filter((address) => !bindable.includes(address));
  };
  const timeout = () =>
    new AgentError(
      'activation-timeout',
      `${interfaceName} did not get ${missing().join(', ')} within ${Math.round(limitMs / 1000)} s`,
      {
        hint: 'look at `ip address show` for tentative or dadfailed: another host may have the same address',
      },
    );
  return waitForKernel(() => missing().length === 0, deadline, Math.min(limitMs, deadline.remainingMs()), timeout);
}
