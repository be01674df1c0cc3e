/** Path of MicroShift's administrator kubeconfig, which MicroShift writes at its first start. */
export const microshiftKubeconfig = '/var/lib/microshift/resources/kubeadmin/kubeconfig';

/** Progress of a daemonset's rollout. */
export interface DaemonSetState {
  readonly name: string;
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly rolledOut: boolean;
  readonly containers: readonly ContainerState[];
}

/** State of a container, summed up over all pods of its daemonset. */
export interface ContainerState {
  readonly name: string;
  readonly ready: number;
  readonly restarts: number;
  /**
   * Reason why the container is not ready, from the first pod in which it is not ready, or the fact that no pod exists;
   * null if the container is ready in all pods.
   */
  readonly notReady: string | null;
  /** Newest Event about the container or its pod, with its time; null if no Event exists. */
  readonly lastEvent: string | null;
}

/** One field that would change; `before` or `after` is undefined if the field does not exist. */
export interface FieldChange {
  /** Path of the field, such as `spec.template.spec.containers[northd].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Effect that an apply would have on one object. */
export interface ObjectDifference {
  readonly object: string;
  readonly change: 'create' | 'change' | 'remove';
  readonly fields: readonly FieldChange[];
  /**
   * Message of the conflict, which names the fields and the managers that also set them; null if no other manager sets
   * them.
   */
  readonly conflict: string | null;
}

/** Effect that an apply or a delete had on one object. */
export interface ObjectOutcome {
  readonly object: string;
  /**
   * `taken-over` if the object existed, and the agent's list of applied objects (manifests/inventory.ts) did not
   * contain it.
   */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'taken-over' | 'removed';
}

/** Result of `manifests apply`. */
export interface ApplyReport {
  readonly flavor: string;
  readonly server: string;
  readonly objects: readonly ObjectOutcome[];
  /** State of the daemonsets; null if the command did not wait for them. */
  readonly daemonSets: readonly DaemonSetState[] | null;
}

/** Result of `manifests delete`. */
export interface DeleteReport {
  readonly objects: readonly ObjectOutcome[];
  /** Objects that are not deleted, because other field managers own some of their fields. */
  readonly shared: readonly SharedObject[];
  /** Objects of other owners in the namespace; the namespace is kept because of them. */
  readonly foreign: readonly string[];
}

/** An object in which other field managers own fields. */
export interface SharedObject {
  readonly object: string;
  readonly owners: readonly string[];
}
