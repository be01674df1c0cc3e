import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../loop/pace.ts';

/** Object key whose rows the database has refused although it was alone in the transaction. */
export interface Refused {
  readonly unit: Unit;
  /** Number of refusals in a row. */
  readonly failures: number;
}

/** Refused object keys until they are written. Each is tried again after a pause of its own. */
export interface Refusals {
  readonly units: ReadonlySet<Unit>;
  refuse(unit: Unit, nowMs: number): Refused;
  /**
   * Returns a key whose retry is due; null if none is due. The key is not due again before its next result is reported.
   */
  take(nowMs: number): Unit | null;
  /** Makes the retry of a refused key due at once, because its object has changed. */
  wake(unit: string): void;
  /** Removes keys that were written. */
  done(units: Iterable<Unit>): void;
  /** Returns the time of the next retry; null if no key is refused. */
  dueMs(): number | null;
}

export function createRefusals(): Refusals {
  const refused = new Map<Unit, { readonly failures: number; readonly dueMs: number }>();
  const units = new Set<Unit>();
  return {
    units,
    refuse: (unit, nowMs) => {
      const failures = (refused.get(unit)?.failures ?? 0) + 1;
      refused.set(unit, { failures, dueMs: nowMs + retryAfterMs(failures) });
      units.add(unit);
      return { unit, failures };
    },
    take: (nowMs) => {
      const [unit, due] = [...refused].find(([, { dueMs }]) => dueMs <= nowMs) ?? [];
      if (unit === undefined || due === undefined) return null;
      refused.set(unit, { ...due, dueMs: Number.POSITIVE_INFINITY });
      return unit;
    },
    wake: (unit) => {
      const one = refused.get(unit);
      if (one !== undefined) refused.set(unit, { ...one, dueMs: 0 });
    },
    done: (written) => {
      for (const unit of written) {
        refused.delete(unit);
        units.delete(unit);
      }
    },
    dueMs: () => {
      const due = Array.from(refused.values(), ({ dueMs }) => dueMs);
      return due.length === 0 ? null : Math.min(...due);
    },
  };
}
