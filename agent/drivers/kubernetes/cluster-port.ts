import type { Collection, KubernetesObject, ObjectReference } from '../../model/kubernetes/object.ts';

/** Functions with which `manifests` uses a cluster; agent/drivers/kubernetes implements them. */
export interface Cluster {
  /** Address of the API server, for messages. */
  readonly server: string;
  /** Resolves when the API server reports that it is ready, or that this user may not query its readiness (403). */
  readonly ready: () => Promise<void>;
  /**
   * Applies an object on the server under the agent's field manager. Returns the object as the server stores it, or
   * would store it in a dry run.
   */
  readonly apply: (object: KubernetesObject, options: ApplyOptions) => Promise<KubernetesObject>;
  /** Returns the object that a reference names; null if it does not exist. */
  readonly get: (reference: ObjectReference) => Promise<KubernetesObject | null>;
  readonly list: (collection: Collection) => Promise<ObjectList>;
  /** Requests an object's removal; a missing object counts as removed. */
  readonly remove: (reference: ObjectReference) => Promise<void>;
  /**
   * Calls `onEvent` for every change of a collection after the version `from`, until `onEvent` returns true or the
   * limit has expired. Throws if the signal is aborted.
   */
  readonly watch: (
    collection: Collection,
    from: string,
    limitMs: number,
    onEvent: OnEvent,
    signal?: AbortSignal,
  ) => Promise<WatchEnd>;
  readonly close: () => void;
}

interface ApplyOptions {
  readonly dryRun: boolean;
  /** True if the apply takes over fields that other field managers own; false if it fails because of them. */
  readonly force: boolean;
}

export interface ObjectList {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
}

export type WatchEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubernetesObject };
export type OnEvent = (event: WatchEvent) => boolean;

/**
 * Reason for the end of a watch. `done`: onEvent returned true. `time-over`: the limit has expired. `lost`: the server
 * ended the stream or is unreachable, so that the caller has to list again.
 */
export type WatchEnd = 'done' | 'time-over' | 'lost';
