/** Where MicroShift writes the administrator's credentials, once it has made them. */
export const microshiftKubeconfig = '/var/lib/microshift/resources/kubeadmin/kubeconfig';

/** How far a daemonset is. */
export interface DaemonSetState {
  readonly name: string;
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly rolledOut: boolean;
  readonly containers: readonly ContainerState[];
}

/** A container over all pods of its daemonset. */
export interface ContainerState {
  readonly name: string;
  readonly ready: number;
  readonly restarts: number;
  /** Why the first that is not ready is not; null when all are. */
  readonly notReady: string | null;
  /** The newest event about it, or about its pod. */
  readonly lastEvent: string | null;
}

/** One field that would change; undefined: it is not there. */
export interface FieldChange {
  /** As in `spec.template.spec.containers[northd].image`. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** What an apply would do to one object. */
export interface ObjectDifference {
  readonly object: string;
  readonly change: 'create' | 'change' | 'remove';
  readonly fields: readonly FieldChange[];
  /** Who else set the same fields; null: nobody. */
  readonly conflict: string | null;
}

/** What an apply or a delete did to one object. */
export interface ObjectOutcome {
  readonly object: string;
  /** `taken-over`: it was there, and somebody else's. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'taken-over' | 'removed';
}

/** The result of `manifests apply`. */
export interface ApplyReport {
  readonly flavor: string;
  readonly server: string;
  readonly objects: readonly ObjectOutcome[];
  /** null: it was not asked to wait. */
  readonly daemonSets: readonly DaemonSetState[] | null;
}

/** The result of `manifests delete`. */
export interface DeleteReport {
  readonly objects: readonly ObjectOutcome[];
  /** What is ours and somebody else's, too, and so is left. */
  readonly shared: readonly SharedObject[];
  /** What somebody else has in the namespace, for which it is kept. */
  readonly foreign: readonly string[];
}

/** An object in which other field managers have a part. */
export interface SharedObject {
  readonly object: string;
  readonly owners: readonly string[];
}
