import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Memory that JavaScript objects of this process occupy, in bytes. */
export interface HeapUse {
  /** Size after a full garbage collection, which is the size of the objects in use. */
  readonly usedBytes: number;
  /** Size at which V8 ends the process (--max-old-space-size). */
  readonly limitBytes: number;
}

/**
 * Calls the listener after each full garbage collection (Node.js, perf_hooks, PerformanceObserver of `gc`), until the
 * returned function is called. The less memory is left, the more often V8 collects garbage.
 */
export function followHeap(listener: (use: HeapUse) => void): () => void {
  const observer = new PerformanceObserver((list) => {
    const isFull = list.getEntries().some(({ detail }) => {
      const { kind } = detail as { readonly kind?: number };
      return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
    });
    if (!isFull) return;
    const { used_heap_size: usedBytes, heap_size_limit: limitBytes } = getHeapStatistics();
    listener({ usedBytes, limitBytes });
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
