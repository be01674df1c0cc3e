import type { Unit } from '../../../workload/plan-workload.ts';
import { retryAfterMs } from '../daemon/work.ts';

/** Units that are planned together, because some are only right beside others: a pod's row, and the groups that it is in. */
export interface Errand {
  /** What called for it: the unit of an object's own, or another name. */
  readonly of: string;
  readonly units: ReadonlySet<Unit>;
}

/** A unit that the database does not take, also alone. */
export interface Refused {
  readonly unit: Unit;
  /** How often in a row. */
  readonly failures: number;
}

/**
 * What is still to be written, in the order in which it came. Decides by what it is told only: the time is handed in, in ms of any clock that does not go
 * back.
 */
export interface Errands {
  /** An object has changed. Its own unit, where that was refused, is tried again at once. */
  add(of: string, units: Iterable<Unit>): void;
  /** Those of the next transaction, about 200 units; a unit that was refused comes alone, when its time has come. Empty: nothing is due. */
  take(nowMs: number): readonly Errand[];
  /** They are written. */
  done(errands: readonly Errand[]): void;
  /** They were not judged: they are the next ones. */
  putBack(errands: readonly Errand[]): void;
  /** Too many for one transaction, or one of them is refused: each half goes on its own, and of one errand each unit. */
  halve(errands: readonly Errand[]): void;
  /** The database does not take these: they are halved, and one unit that is alone waits, longer each time. null: there were several. */
  refuse(errands: readonly Errand[], nowMs: number): Refused | null;
  /** When the next one is due; null: none waits. */
  dueMs(): number | null;
  /** Until they are written. */
  readonly refused: ReadonlySet<Unit>;
}

/** So many units keep a transaction in the milliseconds. */
const mostUnits = 200;

/** `together`: the units beside which one is right that is tried again, itself first. */
export function createErrands(together: (unit: Unit) => Iterable<Unit>): Errands {
  const waiting = new Map<string, Set<Unit>>();
  const halves: (readonly Errand[])[] = [];
  const refused = new Map<Unit, { readonly failures: number; readonly dueMs: number }>();
  /** A refused unit that is not due yet spoils no other's transaction. */
  const withoutRefused = (units: ReadonlySet<Unit>): ReadonlySet<Unit> =>
    refused.size === 0 ? units : new Set([...units].filter((unit) => !refused.has(unit)));
  const takeRefused = (nowMs: number): readonly Errand[] => {
    for (const [unit, { failures, dueMs }] of refused) {
      if (dueMs > nowMs) continue;
      // Whoever took it says what came of it: until then it is not due.
      refused.set(unit, { failures, dueMs: Number.POSITIVE_INFINITY });
      return [{ of: unit, units: new Set([unit, ...withoutRefused(new Set(together(unit)))]) }];
    }
    return [];
  };
  const halve = (errands: readonly Errand[]): void => {
    const [only, ...more] = errands;
    const alone = more.length > 0 || only === undefined ? [] : [...only.units];
    for (const unit of alone.toReversed()) halves.push([{ of: unit, units: new Set([unit]) }]);
    const middle = Math.ceil(errands.length / 2);
    if (more.length > 0) halves.push(errands.slice(middle), errands.slice(0, middle));
  };
  return {
    add: (of, units) => {
      const before = waiting.get(of);
      if (before === undefined) waiting.set(of, new Set(units));
      else for (const unit of units) before.add(unit);
      const own = refused.get(of);
      if (own !== undefined) refused.set(of, { ...own, dueMs: 0 });
    },
    take: (nowMs) => {
      const half = halves.pop();
      if (half !== undefined) return half;
      const again = takeRefused(nowMs);
      if (again.length > 0) return again;
      const taken: Errand[] = [];
      let count = 0;
      for (const [of, all] of waiting) {
        if (count >= mostUnits) break;
        waiting.delete(of);
        const units = withoutRefused(all);
        if (units.size > 0) taken.push({ of, units });
        count += units.size;
      }
      return taken;
    },
    done: (errands) => {
      for (const { units } of errands) for (const unit of units) refused.delete(unit);
    },
    putBack: (errands) => void halves.push(errands),
    halve,
    refuse: (errands, nowMs) => {
      const [only] = errands;
      const [unit] = only?.units ?? [];
      if (errands.length > 1 || only === undefined || only.units.size > 1 || unit === undefined) {
        halve(errands);
        return null;
      }
      const failures = (refused.get(unit)?.failures ?? 0) + 1;
      refused.set(unit, { failures, dueMs: nowMs + retryAfterMs(failures) });
      return { unit, failures };
    },
    dueMs: () => {
      if (halves.length + waiting.size > 0) return 0;
      const due = Array.from(refused.values(), ({ dueMs }) => dueMs);
      return due.length === 0 ? null : Math.min(...due);
    },
    get refused() {
      return new Set(refused.keys());
    },
  };
}
