import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../daemon/work.ts';

/** A unit that the database does not take, also alone. */
export interface Refused {
  readonly unit: Unit;
  /** How often in a row. */
  readonly failures: number;
}

/** The units that were refused, until they are written; each is tried again after a wait of its own. */
export interface Refusals {
  readonly units: ReadonlySet<Unit>;
  refuse(unit: Unit, nowMs: number): Refused;
  /** One whose time has come; it is not due again before somebody says what came of it. null: none. */
  take(nowMs: number): Unit | null;
  /** What it stands for has changed: it is due at once, if it is one. */
  wake(unit: string): void;
  /** These are written. */
  done(units: Iterable<Unit>): void;
  /** When the next one is due; null: none is. */
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
