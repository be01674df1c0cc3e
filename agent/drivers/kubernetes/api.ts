import type { AgentError } from '../../errors.ts';
import type { Collection } from '../../model/kubernetes/object.ts';
import type { Named } from '../../model/workload.ts';

/**
 * Requests of a daemon to the API server, which may be unreachable or slow, or may refuse a request, at any time. Until
 * `close`, every request is tried again unless its error is one that another try cannot fix.
 */
export interface KubernetesApi {
  /**
   * Follows a collection: lists it completely, then reports each change to the follower. Lists it again if the server
   * no longer has the changes since the last one that was reported. Returns a function that ends the calls to the
   * follower.
   */
  follow<T>(collection: Collection, follower: Follower<T>): () => void;
  /**
   * Writes annotations of a pod; the value null removes an annotation. Resolves with `gone` if the pod no longer
   * exists; a new pod of the same name is not annotated. While the API server is unreachable, the request waits for it.
   * Rejects with an error that another try cannot fix, and after `close`. Nothing is sent after `giveUp` is aborted.
   */
  annotate(
    pod: Named,
    annotations: Readonly<Record<string, string | null>>,
    giveUp?: AbortSignal,
  ): Promise<'written' | 'gone'>;
  /**
   * Writes annotations of a Node; the value null removes an annotation. Resolves with `gone` if the Node does not
   * exist. While the API server is unreachable, the request waits for it. Rejects with an error that another try cannot
   * fix, and after `close`. Nothing is sent after `giveUp` is aborted.
   */
  annotateNode(
    name: string,
    annotations: Readonly<Record<string, string | null>>,
    giveUp?: AbortSignal,
  ): Promise<'written' | 'gone'>;
  /** Creates an Event for an object, or increments the count of an existing one. Returns at once and never fails. */
  report(notice: Notice): void;
  /**
   * Reads the kubeconfig again and tries all waiting requests at once. Has to be called when the kubeconfig has been
   * created or changed.
   */
  wake(): void;
  close(): void;
}

export interface ApiOptions {
  /**
   * Path of the kubeconfig; null for the path in KUBECONFIG, or else MicroShift's own. The file may be created later.
   */
  readonly kubeconfig: string | null;
  /** Name of this node, which Events contain. */
  readonly nodeName: string;
  /** Receives messages for the administrator, each once. */
  readonly say: (message: string) => void;
}

/**
 * Receiver of the objects of a collection. `T` is the reduced form of an object. Of the complete objects, at most one
 * page is in memory.
 */
export interface Follower<T> {
  /** Returns the reduced form of an object, which is kept in memory. It must not throw. */
  read(object: unknown): T;
  /**
   * Receives all objects that exist; an earlier object that is not among them no longer exists. Nothing else is
   * reported until the returned promise has settled.
   */
  whole(objects: readonly T[]): void | Promise<void>;
  /**
   * Receives the changes that follow the objects passed to `whole`, in order. Changes that arrive together come in one
   * call.
   */
  changes(changes: readonly FollowedChange<T>[]): void;
  /**
   * Receives the reason when the connection is lost, and again if a later attempt fails for another kind of reason. The
   * known objects are kept; they may be out of date.
   */
  lost(error: AgentError): void;
  /**
   * Function that is called when the server answers again. The missed changes follow through `changes`, or through
   * `whole` if the server no longer has them.
   */
  found(): void;
}

export interface FollowedChange<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The object after the change; for DELETED, its last state. */
  readonly object: T;
}

/** Content of an Event (events.k8s.io/v1). */
export interface Notice {
  readonly regarding: { readonly apiVersion: string; readonly kind: string } & Named;
  readonly type: 'Normal' | 'Warning';
  /** Machine-readable reason in UpperCamelCase: `AddressTaken`. */
  readonly reason: string;
  /** Action that was attempted: `AssignAddress`. */
  readonly action: string;
  /** Text for the user, of at most 1,024 characters. */
  readonly note: string;
}
