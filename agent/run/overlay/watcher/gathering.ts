import { setImmediate } from 'node:timers';

/**
 * Longest pause after a transaction. ovn-northd and every ovn-controller process each transaction separately, so many
 * changes at once have to become few transactions.
 */
const longestRestMs = 250;
/** Time without a change after which a pause ends early, because no more changes are expected. */
const quietMs = 20;

/** Pauses between transactions, in which further changes arrive. */
export interface Gathering {
  /** Reports that a change has arrived. */
  arrived(): void;
  /**
   * Pauses after a transaction for at most 250 ms. The pause ends earlier if no change arrives within 20 ms, or if the
   * changes that wait fill a transaction.
   */
  rest(): Promise<void>;
  /** Ends the pause in progress and all later ones. */
  close(): void;
}

/**
 * Creates the timing of the pauses between transactions. `isEnough` returns true if the changes that wait fill a
 * transaction.
 */
export function createGathering(isEnough: () => boolean): Gathering {
  let isClosed = false;
  let arrivals = 0;
  let endPause: (() => void) | null = null;
  const begin = (resolve: () => void): void => {
    let quiet: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(quiet);
      clearTimeout(whole);
      endPause = null;
      resolve();
    };
    const whole = setTimeout(end, longestRestMs);
    const listen = (before: number): void => {
      const judge = (): void => {
        if (endPause !== end) return;
        if (arrivals === before) end();
        else listen(arrivals);
      };
      // If the process had to wait for a CPU, this timer is late, and runs before the data that has arrived meanwhile
      // is read. setImmediate() lets that data come first.
      quiet = setTimeout(() => setImmediate(judge), quietMs);
    };
    endPause = end;
    listen(arrivals);
  };
  return {
    arrived: () => {
      arrivals += 1;
      if (endPause !== null && isEnough()) endPause();
    },
    rest: async () => {
      if (!isClosed && !isEnough()) await new Promise<void>(begin);
    },
    close: () => {
      isClosed = true;
      endPause?.();
    },
  };
}
