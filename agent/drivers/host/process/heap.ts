import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** Memory of the objects of this process, in bytes. */
export interface HeapUse {
  /** Size after a full garbage collection: of the objects that are in use. */
  readonly usedBytes: number;
  /** Size at which V8 ends the process (--max-old-space-size). */
  readonly limitBytes: number;
}

/**
 * Calls back after each full garbage collection (Node, perf_hooks, PerformanceObserver of `gc`), until the returned
 * function is called. V8 collects the more often, the less memory is left.
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
