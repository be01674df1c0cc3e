import { setImmediate } from 'node:timers';

/**
 * Longest time, in ms, for which long work may occupy the event loop. Meanwhile, requests of the CNI plug-in wait, and
 * so do the inactivity probes of OVSDB servers. If a server gets no answer to its probe in time, it closes the
 * connection, and the lock that the connection has in the database is lost.
 */
const sliceMs = 20;

/** Callers that wait for their next slice, the longest waiting one first. */
const waiting: (() => void)[] = [];

/**
 * Returns a function that long work calls between its pieces. The function returns null while the work may continue,
 * and a promise to be awaited when the work has used its slice. The promise settles after the event loop has run other
 * events. In each turn of the event loop, one of the waiting callers gets a slice. `nowMs` is a monotonic clock.
 */
export function createSlices(nowMs: () => number): () => Promise<void> | null {
  let startedMs = nowMs();
  return () => {
    if (nowMs() - startedMs < sliceMs) return null;
    return new Promise((resolve) => {
      waiting.push(() => {
        startedMs = nowMs();
        resolve();
      });
      if (waiting.length === 1) setImmediate(resume);
    });
  };
}

function resume(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(resume);
  next?.();
}
