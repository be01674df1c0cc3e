import type { Unit } from '../../../workload/plan-workload.ts';
import { createRefusals, type Refused } from './refusals.ts';

/**
 * Object keys that are planned together, because their rows depend on each other: a pod's row, and the groups that
 * contain it.
 */
export interface Errand {
  /** Name of the cause: the key of the object, or another name. */
  readonly of: string;
  readonly units: ReadonlySet<Unit>;
}

/**
 * Work queue of object keys, in the order in which they were added. Has no clock of its own: `nowMs` is the time of a
 * monotonic clock.
 */
export interface Errands {
  /** Adds the work of a changed object. If the object's own key was refused, makes its retry due at once. */
  add(of: string, units: Iterable<Unit>): void;
  /**
   * Returns the work of the next transaction, about 100 object keys. A refused key is returned alone, when its retry is
   * due. Empty if nothing is due.
   */
  take(nowMs: number): readonly Errand[];
  /** Removes work that was written. */
  done(errands: readonly Errand[]): void;
  /** Returns work to the front of the queue, because the database has not answered. */
  putBack(errands: readonly Errand[]): void;
  /**
   * Splits work that is too large for one transaction, or of which a part is refused: into halves, and a single entry
   * into its object keys.
   */
  halve(errands: readonly Errand[]): void;
  /**
   * Records that the database has refused the work. Several keys are split, and the result is null; a single key is
   * tried again after a growing pause.
   */
  refuse(errands: readonly Errand[], nowMs: number): Refused | null;
  /** Returns the time at which the next work is due; null if the queue is empty. */
  dueMs(): number | null;
  /** Refused object keys that have not been written since. */
  readonly refused: ReadonlySet<Unit>;
}

/**
 * Number of object keys per transaction, for which planning keeps the event loop busy for some tens of milliseconds.
 */
const mostUnits = 100;

/**
 * Creates an empty queue. `together` returns the object keys that have to be planned with a retried key, including the
 * key itself.
 */
export function createErrands(together: (unit: Unit) => Iterable<Unit>): Errands {
  const waiting = new Map<string, Set<Unit>>();
  const halves: (readonly Errand[])[] = [];
  const refusals = createRefusals();
  /** Removes the refused keys of other objects, so that they cannot make this transaction fail. */
  const cleared = ({ of, units }: Errand): Errand =>
    refusals.units.size === 0
      ? { of, units }
      : { of, units: new Set([...units].filter((unit) => unit === of || !refusals.units.has(unit))) };
  const takeWaiting = (of: string): ReadonlySet<Unit> => {
    const units = waiting.get(of) ?? new Set();
    waiting.delete(of);
    return units;
  };
  const takeMany = (): readonly Errand[] => {
    const taken: Errand[] = [];
    const taking = new Set<Unit>();
    for (const of of waiting.keys()) {
      if (taking.size >= mostUnits) break;
      const errand = cleared({ of, units: takeWaiting(of) });
      if (errand.units.size > 0) taken.push(errand);
      for (const unit of errand.units) taking.add(unit);
    }
    return taken;
  };
  return {
    add: (of, units) => {
      waiting.set(of, new Set([...(waiting.get(of) ?? []), ...units]));
      refusals.wake(of);
    },
    take: (nowMs) => {
      const half = halves.pop();
      if (half !== undefined) return half.map(cleared);
      const again = refusals.take(nowMs);
      if (again === null) return takeMany();
      return [cleared({ of: again, units: new Set([again, ...together(again), ...takeWaiting(again)]) })];
    },
    done: (errands) => {
      for (const { units } of errands) refusals.done(units);
    },
    putBack: (errands) => void halves.push(errands),
    halve: (errands) => void halves.push(...halvesOf(errands)),
    refuse: (errands, nowMs) => {
      const [unit, ...more] = errands.flatMap(({ units }) => [...units]);
      if (unit !== undefined && more.length === 0) return refusals.refuse(unit, nowMs);
      halves.push(...halvesOf(errands));
      return null;
    },
    dueMs: () => (halves.length + waiting.size > 0 ? 0 : refusals.dueMs()),
    get refused() {
      return refusals.units;
    },
  };
}

/** Splits work in halves; the second half comes first, because the result is pushed on a stack. */
function halvesOf(errands: readonly Errand[]): readonly (readonly Errand[])[] {
  const [only, ...more] = errands;
  if (only === undefined) return [];
  if (more.length === 0) return [...only.units].toReversed().map((unit) => [{ of: unit, units: new Set([unit]) }]);
  const middle = Math.ceil(errands.length / 2);
  return [errands.slice(middle), errands.slice(0, middle)];
}
