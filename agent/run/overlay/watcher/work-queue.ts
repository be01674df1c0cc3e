import type { ObjectKey } from '../../../workload/plan-workload.ts';
import { createRefusals, type Refused } from './refusals.ts';

/**
 * Object keys that are planned together, because their rows depend on each other: a pod's row, and the groups that
 * contain it.
 */
export interface WorkItem {
  /** Name of the cause: the key of the object, or another name. */
  readonly of: string;
  readonly objectKeys: ReadonlySet<ObjectKey>;
}

/**
 * Work queue of object keys, in the order in which they were added. Has no clock of its own: `nowMs` is the time of a
 * monotonic clock.
 */
export interface WorkQueue {
  /** Adds the work of a changed object. If the object's own key was refused, makes its retry due at once. */
  add(of: string, objectKeys: Iterable<ObjectKey>): void;
  /**
   * Returns the work of the next transaction, about 100 object keys. A refused key is returned alone, when its retry is
   * due. Empty if nothing is due.
   */
  take(nowMs: number): readonly WorkItem[];
  /** Removes work that was written. */
  done(items: readonly WorkItem[]): void;
  /** Returns work to the front of the queue, because the database has not answered. */
  putBack(items: readonly WorkItem[]): void;
  /**
   * Splits work that is too large for one transaction, or of which a part is refused: into halves, and a single entry
   * into its object keys.
   */
  halve(items: readonly WorkItem[]): void;
  /**
   * Records that the database has refused the work. Several keys are split, and the result is null; a single key is
   * tried again after a growing pause.
   */
  refuse(items: readonly WorkItem[], nowMs: number): Refused | null;
  /** Returns the time at which the next work is due; null if the queue is empty. */
  dueMs(): number | null;
  /** Refused object keys that have not been written since. */
  readonly refused: ReadonlySet<ObjectKey>;
}

/**
 * Number of object keys per transaction, for which planning keeps the event loop busy for some tens of milliseconds.
 */
const mostObjectKeys = 100;

/**
 * Creates an empty queue. `together` returns the object keys that have to be planned with a retried key, including the
 * key itself.
 */
export function createWorkQueue(together: (unit: ObjectKey) => Iterable<ObjectKey>): WorkQueue {
  const waiting = new Map<string, Set<ObjectKey>>();
  const halves: (readonly WorkItem[])[] = [];
  const refusals = createRefusals();
  /** Removes the refused keys of other objects, so that they cannot make this transaction fail. */
  const cleared = ({ of, objectKeys }: WorkItem): WorkItem =>
    refusals.objectKeys.size === 0
      ? { of, objectKeys }
      : {
          of,
          objectKeys: new Set(
            [...objectKeys].filter((objectKey) => objectKey === of || !refusals.objectKeys.has(objectKey)),
          ),
        };
  const takeWaiting = (of: string): ReadonlySet<ObjectKey> => {
    const objectKeys = waiting.get(of) ?? new Set();
    waiting.delete(of);
    return objectKeys;
  };
  const takeMany = (): readonly WorkItem[] => {
    const taken: WorkItem[] = [];
    const taking = new Set<ObjectKey>();
    for (const of of waiting.keys()) {
      if (taking.size >= mostObjectKeys) break;
      const item = cleared({ of, objectKeys: takeWaiting(of) });
      if (item.objectKeys.size > 0) taken.push(item);
      for (const objectKey of item.objectKeys) taking.add(objectKey);
    }
    return taken;
  };
  return {
    add: (of, objectKeys) => {
      waiting.set(of, new Set([...(waiting.get(of) ?? []), ...objectKeys]));
      refusals.wake(of);
    },
    take: (nowMs) => {
      const half = halves.pop();
      if (half !== undefined) return half.map(cleared);
      const again = refusals.take(nowMs);
      if (again === null) return takeMany();
      return [cleared({ of: again, objectKeys: new Set([again, ...together(again), ...takeWaiting(again)]) })];
    },
    done: (items) => {
      for (const { objectKeys } of items) refusals.done(objectKeys);
    },
    putBack: (items) => void halves.push(items),
    halve: (items) => void halves.push(...halvesOf(items)),
    refuse: (items, nowMs) => {
      const [objectKey, ...more] = items.flatMap(({ objectKeys }) => [...objectKeys]);
      if (objectKey !== undefined && more.length === 0) return refusals.refuse(objectKey, nowMs);
      halves.push(...halvesOf(items));
      return null;
    },
    dueMs: () => (halves.length + waiting.size > 0 ? 0 : refusals.dueMs()),
    get refused() {
      return refusals.objectKeys;
    },
  };
}

/** Splits work in halves; the second half comes first, because the result is pushed on a stack. */
function halvesOf(items: readonly WorkItem[]): readonly (readonly WorkItem[])[] {
  const [only, ...more] = items;
  if (only === undefined) return [];
  if (more.length === 0)
    return [...only.objectKeys].toReversed().map((objectKey) => [{ of: objectKey, objectKeys: new Set([objectKey]) }]);
  const middle = Math.ceil(items.length / 2);
  return [items.slice(middle), items.slice(0, middle)];
}
