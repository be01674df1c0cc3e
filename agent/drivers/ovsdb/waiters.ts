import { OvsdbError } from './errors.ts';

/** Who waits for something that others bring about. */
export interface Waiters {
  /** What `probe` answers as soon as that is not undefined: asked now, and after each `wake`. Rejects with `late` after the limit. */
  until<T>(probe: () => T | undefined, limitMs: number, late: () => OvsdbError): Promise<T>;
  wake(): void;
  /** Rejects whoever waits, and whoever will. */
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
