import type { ObjectKey } from '../../../workload/plan-workload.ts';
import { createRefusals, type Refused } from './refusals.ts';

/**
 * Object keys that are planned together because their rows depend on each other, such as a pod and the port groups that
 * contain it.
 */
export interface WorkItem {
  /** Name of the object that has caused the work: its object key, or another name if it has no key. */
  readonly of: string;
  readonly objectKeys: ReadonlySet<ObjectKey>;
}

/**
 * Work queue of object keys, in the order in which they were added. It has no clock: the caller passes `nowMs`, the
 * time on the monotonic clock.
 */
export interface WorkQueue {
  /**
   * Adds the work of a changed object. If the object's own key was refused, its next attempt is due at once. With
   * `notBeforeMs`, work that does not wait yet is held back until this time. It is released earlier by work without
   * this time that has the same name, or that contains its name as an object key.
   */
  add(of: string, objectKeys: Iterable<ObjectKey>, notBeforeMs?: number): void;
  /**
   * Returns the work of the next transaction, about 100 object keys; empty if nothing is due. A refused key whose next
   * attempt is due is returned only with the keys that have to be planned with it.
   */
  take(nowMs: number): readonly WorkItem[];
  /** Forgets earlier refusals of the object keys of this work, because the rows of the work have been written. */
  done(items: readonly WorkItem[]): void;
  /**
   * Puts work at the front of the queue again, because the northbound database did not answer or the OVSDB lock was
   * lost.
   */
  putBack(items: readonly WorkItem[]): void;
  /**
   * Splits work that is too large for one transaction, or of which a part was refused. Several items are divided into
   * halves, and a single item into its object keys.
   */
  halve(items: readonly WorkItem[]): void;
  /**
   * Records that the northbound database has refused this work. If the work has a single key, returns this key as
   * refused; it is tried again after growing pauses. Otherwise splits the work and returns null.
   */
  refuse(items: readonly WorkItem[], nowMs: number): Refused | null;
  /**
   * Returns the time at which the next work is due; 0 if it is due at once, null if no work waits and no object key is
   * refused.
   */
  dueMs(): number | null;
  /**
   * Returns true if the waiting work that is not held back, together with the work of `more` changed objects, fills a
   * transaction. Also returns true if the queue has work that was put at its front again or split.
   */
  fills(more: number): boolean;
  /** Refused object keys whose rows have not been written since. */
  readonly refused: ReadonlySet<ObjectKey>;
}

/** Number of object keys per transaction. Planning 100 keys keeps the event loop busy for some tens of milliseconds. */
const mostObjectKeys = 100;

/**
 * Creates an empty queue. `together` returns a refused key and the keys that have to be planned with it, for its next
 * attempt.
 */
export function createWorkQueue(together: (unit: ObjectKey) => Iterable<ObjectKey>): WorkQueue {
  const waiting = new Map<string, Set<ObjectKey>>();
  /** Times until which waiting work is held back, by the name of the work. */
  const held = new Map<string, number>();
  const halves: (readonly WorkItem[])[] = [];
  const refusals = createRefusals();
  /**
   * Removes refused object keys from a work item, except that of its own object, so that they do not make the
   * transaction of the item fail.
   */
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
    held.delete(of);
    return objectKeys;
  };
  const takeMany = (nowMs: number): readonly WorkItem[] => {
    const taken: WorkItem[] = [];
    const taking = new Set<ObjectKey>();
    for (const of of waiting.keys()) {
      if (taking.size >= mostObjectKeys) break;
      if ((held.get(of) ?? 0) > nowMs) continue;
      const item = cleared({ of, objectKeys: takeWaiting(of) });
      if (item.objectKeys.size > 0) taken.push(item);
      for (const objectKey of item.objectKeys) taking.add(objectKey);
    }
    return taken;
  };
  return {
    add: (of, objectKeys, notBeforeMs) => {
      const all = [...objectKeys];
      if (notBeforeMs === undefined) for (const released of [of, ...all]) held.delete(released);
      else if (!waiting.has(of)) held.set(of, notBeforeMs);
      waiting.set(of, new Set([...(waiting.get(of) ?? []), ...all]));
      refusals.wake(of);
    },
    take: (nowMs) => {
      const half = halves.pop();
      if (half !== undefined) return half.map(cleared);
      const again = refusals.take(nowMs);
      if (again === null) return takeMany(nowMs);
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
    dueMs: () => {
      if (halves.length > 0 || waiting.size > held.size) return 0;
      const due = [...held.values(), refusals.dueMs() ?? []].flat();
      return due.length === 0 ? null : Math.min(...due);
    },
    fills: (more) => halves.length > 0 || waiting.size - held.size + more >= mostObjectKeys,
    get refused() {
      return refusals.objectKeys;
    },
  };
}

/**
 * Divides work into halves. The first half is the last element of the result, because the caller pushes the result on a
 * stack.
 */
function halvesOf(items: readonly WorkItem[]): readonly (readonly WorkItem[])[] {
  const [only, ...more] = items;
  if (only === undefined) return [];
  if (more.length === 0)
    return [...only.objectKeys].toReversed().map((objectKey) => [{ of: objectKey, objectKeys: new Set([objectKey]) }]);
  const middle = Math.ceil(items.length / 2);
  return [items.slice(middle), items.slice(0, middle)];
}
