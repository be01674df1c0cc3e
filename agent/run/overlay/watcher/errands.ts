import type { Unit } from '../../../workload/plan-workload.ts';
import { createRefusals, type Refused } from './refusals.ts';

/** Units that are planned together, because some are only right beside others: a pod's row, and the groups that it is in. */
export interface Errand {
  /** What called for it: the unit of an object's own, or another name. */
  readonly of: string;
  readonly units: ReadonlySet<Unit>;
}

/**
 * What is still to be written, in the order in which it came. Decides by what it is told only: the time is handed in, in ms of any clock that does not go
 * back.
 */
export interface Errands {
  /** An object has changed. Its own unit, where that was refused, is tried again at once. */
  add(of: string, units: Iterable<Unit>): void;
  /** Returns the errands of the next transaction, about 100 units; a refused unit comes alone, when its retry is due. Empty if nothing is due. */
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

/** Units of one transaction, so that planning it takes the event loop for some tens of milliseconds. */
const mostUnits = 100;

/** `together`: the units beside which one is right that is tried again, itself first. */
export function createErrands(together: (unit: Unit) => Iterable<Unit>): Errands {
  const waiting = new Map<string, Set<Unit>>();
  const halves: (readonly Errand[])[] = [];
  const refusals = createRefusals();
  /** A refused unit spoils no transaction but its own. */
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

/** The second half first, as on a stack. */
function halvesOf(errands: readonly Errand[]): readonly (readonly Errand[])[] {
  const [only, ...more] = errands;
  if (only === undefined) return [];
  if (more.length === 0) return [...only.units].toReversed().map((unit) => [{ of: unit, units: new Set([unit]) }]);
  const middle = Math.ceil(errands.length / 2);
  return [errands.slice(middle), errands.slice(0, middle)];
}
