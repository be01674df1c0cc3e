import type { ObjectKey } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../loop/pace.ts';

/** Object key whose rows the northbound database has refused in a transaction of their own. */
export interface Refused {
  readonly objectKey: ObjectKey;
  /** Number of successive refusals of the object key. */
  readonly failures: number;
}

/**
 * Object keys whose rows the northbound database has refused and that have not been written since. Each has its own
 * pause until the next attempt.
 */
export interface Refusals {
  readonly objectKeys: ReadonlySet<ObjectKey>;
  refuse(objectKey: ObjectKey, nowMs: number): Refused;
  /**
   * Returns a key whose next attempt is due; null if none is due. The key is not returned again before the result of
   * this attempt is reported.
   */
  take(nowMs: number): ObjectKey | null;
  /** Makes the next attempt of a refused key due at once, because its object has changed. */
  wake(objectKey: string): void;
  /** Removes object keys whose rows were written. */
  done(objectKeys: Iterable<ObjectKey>): void;
  /** Returns the time of the next attempt; null if no key is refused. */
  dueMs(): number | null;
}

export function createRefusals(): Refusals {
  const refused = new Map<ObjectKey, { readonly failures: number; readonly dueMs: number }>();
  const objectKeys = new Set<ObjectKey>();
  return {
    objectKeys,
    refuse: (objectKey, nowMs) => {
      const failures = (refused.get(objectKey)?.failures ?? 0) + 1;
      refused.set(objectKey, { failures, dueMs: nowMs + retryAfterMs(failures) });
      objectKeys.add(objectKey);
      return { objectKey, failures };
    },
    take: (nowMs) => {
      const [objectKey, due] = [...refused].find(([, { dueMs }]) => dueMs <= nowMs) ?? [];
      if (objectKey === undefined || due === undefined) return null;
      refused.set(objectKey, { ...due, dueMs: Number.POSITIVE_INFINITY });
      return objectKey;
    },
    wake: (objectKey) => {
      const one = refused.get(objectKey);
      if (one !== undefined) refused.set(objectKey, { ...one, dueMs: 0 });
    },
    done: (written) => {
      for (const objectKey of written) {
        refused.delete(objectKey);
        objectKeys.delete(objectKey);
      }
    },
    dueMs: () => {
      const due = Array.from(refused.values(), ({ dueMs }) => dueMs);
      return due.length === 0 ? null : Math.min(...due);
    },
  };
}
