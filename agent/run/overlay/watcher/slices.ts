import { setImmediate } from 'node:timers/promises';

/** Longest that long work keeps the event loop: the CNI plug-in, leases of the lock and probes wait meanwhile. */
const sliceMs = 20;

/**
 * Returns a function to be awaited between the pieces of long work: it lets the event loop run if the work has had it for a slice. `nowMs` is a
 * monotonic clock.
 */
export function createSlices(nowMs: () => number): () => Promise<void> {
  let startedMs = nowMs();
  return async () => {
    if (nowMs() - startedMs < sliceMs) return;
    await setImmediate();
    startedMs = nowMs();
  };
}
