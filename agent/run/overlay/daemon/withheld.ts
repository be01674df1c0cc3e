import { isAgentError } from '../../../errors.ts';

/** Addresses for which this node's gateway must not answer. */
export interface Withheld {
  /** Sets the addresses. They are written at once, unless the same ones are written. */
  know(addresses: readonly string[]): void;
  /** Writes the addresses that could not be written before. */
  again(): void;
  /** Settles when the write in progress has ended; the flows stay. */
  close(): Promise<void>;
}

/**
 * Creates the withheld answers of a gateway. `write` fails with an AgentError if the gateway is not connected yet;
 * `again`, or the next change, then repeats it. Only one write runs at a time, and the last set of addresses is
 * written last.
 */
export function createWithheld(write: (addresses: readonly string[]) => Promise<void>): Withheld {
  let wanted: readonly string[] | null = null;
  let written: string | null = null;
  let current: Promise<void> | null = null;
  let isClosed = false;
  const round = async (): Promise<void> => {
    while (!isClosed && wanted !== null && wanted.join() !== written) {
      const addresses = wanted;
      try {
        await write(addresses);
        written = addresses.join();
      } catch (error) {
        if (!isAgentError(error)) throw error;
        // The bridge may have some of the flows, or those of before.
        written = null;
        if (wanted === addresses) return;
      }
    }
  };
  const again = (): void => {
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
      await current;
    },
  };
}
