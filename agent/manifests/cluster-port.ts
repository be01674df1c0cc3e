import type { KubernetesObject, ObjectReference } from './object.ts';

/** What a cluster offers to those who put manifests on it; agent/drivers/kubernetes makes one. */
export interface Cluster {
  /** Where it is, for messages. */
  readonly server: string;
  /** Resolves once the API server says that it is ready. */
  readonly ready: () => Promise<void>;
  /** Server-side apply under our field manager. Answers with the object as the server has it (or would have it). */
  readonly apply: (object: KubernetesObject, options: ApplyOptions) => Promise<KubernetesObject>;
  /** Null where there is no such object. */
  readonly get: (reference: ObjectReference) => Promise<KubernetesObject | null>;
  readonly list: (collection: Collection) => Promise<ObjectList>;
  /** Asks for an object's removal; an object that is not there is removed already. */
  readonly remove: (reference: ObjectReference) => Promise<void>;
  /** Calls back for every change of a collection after a version until `onEvent` answers true or the limit is over; aborted, it throws. */
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
  /** Take fields over from other managers instead of failing. */
  readonly force: boolean;
}

/** A kind's objects in a namespace, or everywhere (null), narrowed by selectors. */
export interface Collection {
  readonly apiVersion: string;
  readonly plural: string;
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ObjectList {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
}

export type WatchEvent = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubernetesObject };
export type OnEvent = (event: WatchEvent) => boolean;

/** `done`: onEvent said so; `time-over`; `lost`: the server ended the stream or is gone, list again. */
export type WatchEnd = 'done' | 'time-over' | 'lost';
