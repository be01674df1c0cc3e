import type { AgentError } from '../../errors.ts';
import type { Collection } from '../../manifests/cluster-port.ts';
import type { Named } from '../../model/workload.ts';

/** What a daemon asks of the API server, which may be away, slow or refuse at any time: everything is tried again until `close`. */
export interface KubernetesApi {
  /**
   * Follows a collection: all of it, then each change, and all of it again when the server no longer knows what came between. Returns the function that
   * ends it; nothing is called after that.
   */
  follow<T>(collection: Collection, follower: Follower<T>): () => void;
  /**
   * Writes annotations of a pod; null removes one. `gone`: there is no such pod any more, nor is one of the same name annotated instead. Resolves after an
   * API server that was away is back; rejects with what trying again does not mend, and after `close`. Nothing is sent any more after `giveUp`.
   */
  annotate(
    pod: Named,
    annotations: Readonly<Record<string, string | null>>,
    giveUp?: AbortSignal,
  ): Promise<'written' | 'gone'>;
  /** Makes an Event of an object, or counts it where it was told before. Never waits, and never fails. */
  tell(notice: Notice): void;
  /** The kubeconfig has come or changed: it is read, and whatever waits tries at once. */
  wake(): void;
  close(): void;
}

export interface ApiOptions {
  /** null: KUBECONFIG, or MicroShift's own. It need not be there yet. */
  readonly kubeconfig: string | null;
  /** The node on which we run; Events name it. */
  readonly nodeName: string;
  /** Something an admin should know, once. */
  readonly say: (message: string) => void;
}

/** Who follows a collection. `T` is what is kept of an object; no more than a page of them is in memory as the API has them. */
export interface Follower<T> {
  /** Must not throw. */
  read(object: unknown): T;
  /** Receives all objects that exist; an earlier object that is missing here is gone. Nothing else is reported until the promise has settled. */
  whole(objects: readonly T[]): void | Promise<void>;
  /** What has happened since, in its order; several where several came at once. */
  changes(changes: readonly FollowedChange<T>[]): void;
  /** Nothing is heard any more; told again until `found` where it has another kind of reason. What is known stays valid as far as anybody knows. */
  lost(error: AgentError): void;
  /** The server answers again. What was missed comes next: as changes, or as `whole` where the server has forgotten them. */
  found(): void;
}

export interface FollowedChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** DELETED: as it was last. */
  readonly object: T;
}

/** What an Event says (events.k8s.io/v1). */
export interface Notice {
  readonly regarding: { readonly apiVersion: string; readonly kind: string } & Named;
  readonly type: 'Normal' | 'Warning';
  /** UpperCamelCase, for machines: `AddressTaken`. */
  readonly reason: string;
  /** What was being done: `AssignAddress`. */
  readonly action: string;
  /** For people, at most 1,024 characters. */
  readonly note: string;
}
