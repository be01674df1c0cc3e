import { setImmediate } from 'node:timers/promises';

/**
 * Longest time for which long work may keep the event loop. The CNI plug-in, keepalives of the lock and probes wait
 * meanwhile.
 */
const sliceMs = 20;

/**
 * Returns a function to be called between the pieces of long work: if the work has had the event loop for a slice, it
 * returns a promise that settles when the event loop has run, which is then to be awaited, and null otherwise. `nowMs`
 * is a monotonic clock.
 */
export function createSlices(nowMs: () => number): () => Promise<void> | null {
  let startedMs = nowMs();
  return () => {
    if (nowMs() - startedMs < sliceMs) return null;
    return setImmediate().then(() => {
      startedMs = nowMs();
    });
  };
}
