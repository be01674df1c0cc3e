import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { NamespacedName, Pod } from '../../../model/workload.ts';
import { wantedAnnotations } from '../../../workload/pods/annotations.ts';
import { retryAfterMs } from '../loop/pace.ts';

/** Addresses of a pod, with the other facts that its annotations contain. */
export interface Assignment {
  readonly pod: Pod;
  readonly addresses: readonly string[];
  readonly node: OverlayNode;
  readonly layout: OverlayLayout;
}

/** Writer of the annotations that contain the addresses of pods. */
export interface PodAnnotations {
  /** Writes the annotations of a pod if they differ, after a write in progress has ended. */
  annotate(key: NamespacedName): void;
  /** Ends the attempts to annotate pods that were deleted. */
  forget(keys: readonly NamespacedName[]): void;
  /**
   * Cancels further writes, including those that wait for an API server, because from now on another process may assign
   * addresses.
   */
  close(): void;
}

/**
 * Creates the writer. `assignmentOf` returns the present assignment of a pod; null if the pod has no addresses.
 * `report` is called with an error while a pod cannot be annotated, and with null when no such pod is left. Tries again
 * after a refusal, because no event reports that an administrator has allowed the write.
 */
export function createPodAnnotations(
  api: Pick<KubernetesApi, 'annotate'>,
  assignmentOf: (key: NamespacedName) => Assignment | null,
  report: (error: AgentError | null) => void,
): PodAnnotations {
  const underWay = new Set<NamespacedName>();
  const failed = new Map<NamespacedName, AgentError>();
  const giveUp = new AbortController();
  let failures = 0;
  let retry: NodeJS.Timeout | null = null;

  const reportFailure = (): void => {
    report([...failed.values()][0] ?? null);
    if (failed.size === 0) failures = 0;
    if (failed.size === 0 || retry !== null) return;
    failures += 1;
    retry = setTimeout(() => {
      retry = null;
      [...failed.keys()].forEach(annotate);
    }, retryAfterMs(failures));
  };
  const forget = (keys: readonly NamespacedName[]): void => {
    const known = keys.filter((key) => failed.delete(key));
    if (known.length > 0) reportFailure();
  };
  const ended = (key: NamespacedName, { pod, addresses }: Assignment, error: AgentError | null): void => {
    underWay.delete(key);
    if (giveUp.signal.aborted) return;
    if (error !== null) failed.set(key, error);
    else failed.delete(key);
    reportFailure();
    const now = assignmentOf(key);
    // The annotations are written again if, during the write, another pod of the same name was created or the addresses
    // have changed.
    if (error === null && (now?.pod.uid !== pod.uid || now.addresses !== addresses)) annotate(key);
  };
  function annotate(key: NamespacedName): void {
    const assignment = assignmentOf(key);
    if (underWay.has(key)) return;
    const differing = assignment === null ? [] : missingOf(assignment);
    if (assignment === null || differing.length === 0) {
      forget([key]);
      return;
    }
    underWay.add(key);
    api.annotate(assignment.pod, Object.fromEntries(differing), giveUp.signal).then(
      () => ended(key, assignment, null),
      (error: unknown) => ended(key, assignment, asAgentError(error)),
    );
  }
  return {
    annotate,
    forget,
    close: () => {
      giveUp.abort();
      if (retry !== null) clearTimeout(retry);
    },
  };
}

/** Returns the desired annotations that the pod does not have, or has with another value. */
function missingOf({ pod, addresses, node, layout }: Assignment): readonly (readonly [string, string])[] {
  const wanted = Object.entries(wantedAnnotations(addresses, node, layout, pod.uid));
  return wanted.filter(([name, value]) => pod.annotations[name] !== value);
}
