/** A promise that is settled from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/**
 * A promise that is settled from outside, or rejected with `lateError()` once `timeoutMs` has passed. The timer is gone as
 * soon as it is settled. Throws TypeError unless 0 <= timeoutMs < 2^31, what a timer can count.
 */
export function deferWithin<T>(timeoutMs: number, lateError: () => Error): Deferred<T> {
  checkTimeout(timeoutMs);
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const timer = setTimeout(() => settle?.reject(lateError()), timeoutMs);
  return {
    promise,
    resolve(value) {
      clearTimeout(timer);
      settle?.resolve(value);
    },
    reject(reason) {
      clearTimeout(timer);
      settle?.reject(reason);
    },
  };
}

/** Throws TypeError unless a timer can count it: setTimeout silently turns a longer time into 1 ms. */
export function checkTimeout(timeoutMs: number): void {
  if (!(timeoutMs >= 0 && timeoutMs < 2 ** 31)) throw new TypeError(`${timeoutMs} is not a time limit in ms`);
}
