import { isAgentError } from '../../../errors.ts';
import { retryAfterMs } from '../loop/pace.ts';

/** Addresses for which this node's gateway must not answer. */
export interface Withheld {
  /**
   * Sets the addresses. Writes the flows that drop answers for these addresses at once, unless these flows were the
   * last that were written.
   */
  know(addresses: readonly string[]): void;
  /**
   * Tries again to write the flows that drop answers if the last write failed, without waiting until the pause after
   * that failure is over.
   */
  again(): void;
  /** Cancels further writes. Settles when the write in progress has ended. */
  close(): Promise<void>;
}

/**
 * Creates an empty set of addresses. `write` has to install the flows that drop answers for them, and fails with an
 * AgentError while the gateway is not connected. A failed write is repeated after a growing pause, or when `again` is
 * called or the set changes. Only one write runs at a time, and the flows of the present set are written last.
 */
export function createWithheld(write: (addresses: readonly string[]) => Promise<void>): Withheld {
  let wanted: readonly string[] | null = null;
  let written: string | null = null;
  let current: Promise<void> | null = null;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const round = async (): Promise<void> => {
    while (!isClosed && wanted !== null && wanted.join() !== written) {
      const addresses = wanted;
      try {
        await write(addresses);
        written = addresses.join();
        failures = 0;
      } catch (error) {
        if (!isAgentError(error)) throw error;
        // The written addresses are unknown: after a failed write, the bridge may have the earlier flows or a part of
        // the new ones.
        written = null;
        failures += 1;
        if (wanted === addresses) {
          if (!isClosed) timer = setTimeout(again, retryAfterMs(failures));
          return;
        }
      }
    }
  };
  const again = (): void => {
    clearTimeout(timer);
    current ??= round().finally(() => {
      current = null;
    });
  };
  return {
    know: (addresses) => {
      wanted = addresses;
      again();
    },
    again,
    close: async () => {
      isClosed = true;
      clearTimeout(timer);
      await current;
    },
  };
}
