import type {
  ApplyReport,
  DaemonSetState,
  DeleteReport,
  ObjectDifference,
  ObjectOutcome,
} from '../../model/manifests.ts';

/** `manifests render`: the objects of ovn-kubernetes, or the directory into which they were written. */
export interface ManifestsRenderDocument {
  readonly command: 'manifests render';
  readonly outcome: 'rendered';
  readonly flavor: string;
  /** Directory with a file for each object; null if `objects` has them. */
  readonly directory: string | null;
  /** Objects of Kubernetes in the order in which they are applied; empty if they were written into a directory. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

/** `manifests diff`: the changes that `manifests apply` would make. */
export interface ManifestsDiffDocument {
  readonly command: 'manifests diff';
  readonly outcome: 'as-wanted' | 'drift';
  readonly flavor: string;
  readonly differences: readonly ObjectDifferenceJson[];
}

/** Effect that `manifests apply` would have on one object. */
export interface ObjectDifferenceJson {
  /** Kind and name of the object. */
  readonly object: string;
  readonly change: 'create' | 'change' | 'remove';
  readonly fields: readonly FieldChangeJson[];
  /** Message that names the other field managers which set the same fields; null if no other manager does. */
  readonly conflict: string | null;
}

/** Change of one field of an object. */
export interface FieldChangeJson {
  /** Path of the field, such as `spec.template.spec.containers[northd].image`. */
  readonly path: string;
  /** Value before the change. Absent if the field does not exist before it. */
  readonly before?: unknown;
  /** Value after the change. Absent if the field does not exist after it. */
  readonly after?: unknown;
}

/** `manifests apply`: the effect on each object. */
export type ManifestsApplyDocument = ManifestsApplied | ManifestsLeft;

/** Effect of `manifests apply`. */
export interface ManifestsApplied {
  readonly command: 'manifests apply';
  readonly outcome: 'changed' | 'unchanged';
  readonly flavor: string;
  /** URL of the API server. */
  readonly server: string;
  readonly objects: readonly ObjectOutcomeJson[];
  /** State of the daemonsets; null if `--wait` was not given. */
  readonly daemonSets: readonly DaemonSetJson[] | null;
}

/**
 * Result of `manifests apply --unless-microshift` on a node on which MicroShift applies its own objects of
 * ovn-kubernetes.
 */
export interface ManifestsLeft {
  readonly command: 'manifests apply';
  readonly outcome: 'left-to-microshift';
}

/** Effect of `manifests apply` on one object. */
export interface ObjectOutcomeJson {
  /** Kind and name of the object. */
  readonly object: string;
  /** `taken-over`: the object existed, and no earlier `manifests apply` had created it. */
  readonly outcome: 'created' | 'changed' | 'unchanged' | 'taken-over' | 'removed';
}

/** `manifests status`: the daemonsets and their containers. */
export interface ManifestsStatusDocument {
  readonly command: 'manifests status';
  /** `as-wanted` if at least one daemonset exists and all are rolled out. */
  readonly outcome: 'as-wanted' | 'drift';
  readonly daemonSets: readonly DaemonSetJson[];
}

/** Rollout of a daemonset. */
export interface DaemonSetJson {
  readonly name: string;
  /** Number of pods that the daemonset should have. */
  readonly desired: number;
  readonly updated: number;
  readonly ready: number;
  readonly rolledOut: boolean;
  readonly containers: readonly ContainerJson[];
}

/** A container of a daemonset, in all its pods. */
export interface ContainerJson {
  readonly name: string;
  readonly ready: number;
  readonly restarts: number;
  /** Reason why the container is not ready; null if it is ready. */
  readonly notReady: string | null;
  /** Newest event about the container or its pod; null if no event exists. */
  readonly lastEvent: string | null;
}

/** `manifests delete`: the objects that were removed. */
export interface ManifestsDeleteDocument {
  readonly command: 'manifests delete';
  readonly outcome: 'changed' | 'unchanged';
  readonly objects: readonly ObjectOutcomeJson[];
  /** Objects that are left because other field managers own a part of them. */
  readonly shared: readonly SharedObjectJson[];
  /** Objects of other programs, because of which the namespace is kept. */
  readonly foreign: readonly string[];
}

/** An object in which other field managers own fields. */
export interface SharedObjectJson {
  readonly object: string;
  readonly owners: readonly string[];
}

/** Returns the document of `manifests render`. */
export function renderDocument(
  flavor: string,
  directory: string | null,
  objects: readonly Readonly<Record<string, unknown>>[],
): ManifestsRenderDocument {
  return { command: 'manifests render', outcome: 'rendered', flavor, directory, objects };
}

/** Returns the document of `manifests diff`. */
export function diffDocument(flavor: string, differences: readonly ObjectDifference[]): ManifestsDiffDocument {
  return {
    command: 'manifests diff',
    outcome: differences.length === 0 ? 'as-wanted' : 'drift',
    flavor,
    differences: differences.map(({ object, change, fields, conflict }) => ({
      object,
      change,
      fields: fields.map(({ path, before, after }) => ({ path, before, after })),
      conflict,
    })),
  };
}

/** Returns the document of `manifests apply`; a null `report` means that MicroShift applies its own objects. */
export function manifestsApplyDocument(report: ApplyReport | null): ManifestsApplyDocument {
  if (report === null) return { command: 'manifests apply', outcome: 'left-to-microshift' };
  const { flavor, server, objects, daemonSets } = report;
  const states = daemonSets && daemonSetsJson(daemonSets);
  return { command: 'manifests apply', ...outcomesJson(objects), flavor, server, daemonSets: states };
}

/** Returns the document of `manifests status`. */
export function manifestsStatusDocument(daemonSets: readonly DaemonSetState[]): ManifestsStatusDocument {
  const isRunning = daemonSets.length > 0 && daemonSets.every(({ rolledOut }) => rolledOut);
  return {
    command: 'manifests status',
    outcome: isRunning ? 'as-wanted' : 'drift',
    daemonSets: daemonSetsJson(daemonSets),
  };
}

/** Returns the document of `manifests delete`. */
export function deleteDocument({ objects, shared, foreign }: DeleteReport): ManifestsDeleteDocument {
  const left = shared.map(({ object, owners }) => ({ object, owners }));
  return { command: 'manifests delete', ...outcomesJson(objects), shared: left, foreign };
}

function outcomesJson(objects: readonly ObjectOutcome[]) {
  const isUnchanged = objects.every(({ outcome }) => outcome === 'unchanged');
  return {
    outcome: isUnchanged ? ('unchanged' as const) : ('changed' as const),
    objects: objects.map(({ object, outcome }) => ({ object, outcome })),
  };
}

function daemonSetsJson(states: readonly DaemonSetState[]): readonly DaemonSetJson[] {
  return states.map(({ name, desired, updated, ready, rolledOut, containers }) => ({
    name,
    desired,
    updated,
    ready,
    rolledOut,
    containers: containers.map((container) => ({
      name: container.name,
      ready: container.ready,
      restarts: container.restarts,
      notReady: container.notReady,
      lastEvent: container.lastEvent,
    })),
  }));
}
