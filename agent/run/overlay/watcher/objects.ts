import { monotonicMs } from '../../../deadline.ts';
import type { Follower, KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { AgentError } from '../../../errors.ts';
import { isPortKey } from '../../../model/overlay-port.ts';
import type { ObjectChange, Pod, Workload } from '../../../model/workload.ts';
import { createSlices } from '../../../slices.ts';
import { emptyWorkload } from '../../../workload/empty-workload.ts';
import { type Kind, keyOf, kinds, type Projected } from './followed-kinds.ts';

/** Functions that are called with changes of objects. */
export interface ObjectListener {
  /**
   * Function that is called once, when every kind has been listed completely, except optional kinds that the API server
   * refuses to list.
   */
  whole(): void;
  /** Function that is called with each later change, in order. The known objects already contain the changes. */
  changed(changes: readonly ObjectChange[]): void;
  /** Function that is called when the API server has listed the objects of a kind that it refused to list before. */
  allowed(): void;
  /**
   * Function that is called with an error when the API server no longer reports objects of a kind, and with null when
   * it reports every kind again. The known objects are kept meanwhile.
   */
  heard(error: AgentError | null): void;
}

/** Objects that the network depends on, as the API server last reported them. */
export interface Objects {
  readonly workload: Workload;
  /**
   * True when every kind has been listed completely, or is optional and refused. Before that, no row may be deleted.
   */
  readonly isWhole: boolean;
  /** Returns the number of known objects by namespace; during the first list, the number of those that have arrived. */
  namespaces(): ReadonlyMap<string, number>;
  /**
   * Replaces the overlay ports in the collection of pods, where they stand for hosts that are not pods. Calls no
   * listener.
   */
  hold(ports: ReadonlyMap<string, Pod>): void;
  close(): void;
}

/** Follows the objects of every kind until `close` is called. */
export function followObjects(api: Pick<KubernetesApi, 'follow'>, listener: ObjectListener): Objects {
  const workload = emptyWorkload();
  const unknown = new Set(kinds.map(({ kind }) => kind));
  const lost = new Map<string, AgentError>();
  const listed = new Map<string, number>();
  const hear = (): void => listener.heard([...lost.values()][0] ?? null);
  const followerOf = (one: Kind): Follower<Projected> => {
    const { kind } = one;
    const known: Map<string, Projected> = workload[one.of];
    const put = (key: string, now: Projected | undefined): ObjectChange[] => {
      const before = known.get(key);
      if (isSame(before, now)) return [];
      if (now === undefined) known.delete(key);
      else known.set(key, now);
      return [{ kind, ...(before && { before }), ...(now && { now }) } as ObjectChange];
    };
    const notify = (changes: readonly ObjectChange[]): void => {
      if (unknown.size === 0 && changes.length > 0) listener.changed(changes);
    };
    return {
      read: (object) => {
        const found = one.read(object);
        if (unknown.size > 0) countIn(listed, found);
        return found;
      },
      whole: async (objects) => {
        const breathe = createSlices(monotonicMs);
        const now = new Map(objects.map((object) => [keyOf(object), object]));
        const gone = [...known.keys()].filter((key) => !now.has(key) && !isPortKey(key));
        let changes = gone.flatMap((key) => put(key, undefined));
        for (const entry of now) {
          changes.push(...put(...entry));
          const pause = breathe();
          if (pause === null) continue;
          notify(changes);
          changes = [];
          await pause;
        }
        if (workload.unread.delete(kind)) listener.allowed();
        const wasUnknown = unknown.delete(kind);
        if (wasUnknown && unknown.size === 0) listener.whole();
        else notify(changes);
      },
      changes: (changes) =>
        notify(changes.flatMap(({ type, object }) => put(keyOf(object), type === 'DELETED' ? undefined : object))),
      lost: (error) => {
        lost.set(kind, error);
        hear();
        // The rights of the daemon may date from an earlier release, and lack an optional kind. All other kinds are
        // then followed without this kind.
        if (one.collection.isOptional !== true || error.kind !== 'cluster-refused' || !unknown.delete(kind)) return;
        workload.unread.add(kind);
        if (unknown.size === 0) listener.whole();
      },
      found: () => {
        if (lost.delete(kind)) hear();
      },
    };
  };
  const stops = kinds.map((one) => api.follow(one.collection, followerOf(one)));
  return {
    workload,
    get isWhole() {
      return unknown.size === 0;
    },
    namespaces: () => (unknown.size > 0 ? listed : countsIn(workload)),
    hold: (ports) => {
      for (const key of [...workload.pods.keys()].filter(isPortKey)) workload.pods.delete(key);
      for (const [key, pod] of ports) workload.pods.set(key, pod);
    },
    close: () => {
      for (const stop of stops) stop();
    },
  };
}

/** Returns the number of objects by namespace. */
function countsIn(workload: Workload): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { of } of kinds) for (const object of workload[of].values()) countIn(counts, object);
  return counts;
}

function countIn(counts: Map<string, number>, object: Projected): void {
  if ('namespace' in object) counts.set(object.namespace, (counts.get(object.namespace) ?? 0) + 1);
}

/**
 * Compares two objects by the JSON text of their fields. The comparison is exact, because the same function has created
 * both objects, with their keys in the same order.
 */
function isSame(one: Projected | undefined, other: Projected | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}
