import { OvsdbError } from './ovsdb-errors.ts';

/** Pending waits for a condition. Other code makes the condition true and then calls `wake`. */
export interface Waiters {
  /**
   * Resolves with the result of `probe` as soon as it is not undefined. The probe runs at once and after each `wake`.
   * If the result is still undefined after `limitMs`, rejects with the error that `late` returns.
   */
  until<T>(probe: () => T | undefined, limitMs: number, late: () => OvsdbError): Promise<T>;
  wake(): void;
  /** Rejects all current and future waits. */
  end(reason: OvsdbError): void;
}

export function createWaiters(): Waiters {
  const open = new Set<{ check: () => void; reject: (error: unknown) => void }>();
  let ended: OvsdbError | undefined;
  return {
    until: (probe, limitMs, late) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        const done = (settle: () => void): void => {
          open.delete(waiter);
          clearTimeout(timer);
          settle();
        };
        const waiter = {
          check: () => {
            try {
              const found = probe();
              if (found !== undefined) done(() => resolve(found));
            } catch (error) {
              waiter.reject(error);
            }
          },
          reject: (error: unknown) => done(() => reject(error)),
        };
        const timer = setTimeout(() => waiter.reject(late()), limitMs);
        open.add(waiter);
        return waiter.check();
      }),
    wake: () => {
      for (const waiter of [...open]) waiter.check();
    },
    end: (reason) => {
      ended = reason;
      for (const waiter of [...open]) waiter.reject(new OvsdbError(reason.kind, reason.message, reason));
    },
  };
}
