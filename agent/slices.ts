import { setImmediate } from 'node:timers';

/**
 * Longest time for which long work may keep the event loop. The CNI plug-in, keepalives of the lock and probes wait
 * meanwhile.
 */
const sliceMs = 20;

/** Long works that wait for their next slice, the longest waiting one first. */
const waiting: (() => void)[] = [];

/**
 * Returns a function to be called between the pieces of long work: if the work has had the event loop for a slice, it
 * returns a promise that is then to be awaited, and null otherwise. The promise settles when the event loop has run. A
 * turn of the event loop has one slice, of one of the works that wait. `nowMs` is a monotonic clock.
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
