import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { type AgentError, asAgentError } from '../../../errors.ts';
import type { OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { ObjectKey, Pod } from '../../../model/workload.ts';
import { wantedAnnotations } from '../../../workload/pods/annotations.ts';
import { retryAfterMs } from '../daemon/work.ts';

/** The addresses of a pod, and what else its annotations say. */
export interface Assignment {
  readonly pod: Pod;
  readonly addresses: readonly string[];
  readonly node: OverlayNode;
  readonly layout: OverlayLayout;
}

/** Tells pods their addresses. */
export interface PodAnnotations {
  /** Where the pod's annotations are not as they should be. One that is under way goes first. */
  annotate(key: ObjectKey): void;
  /** These pods are gone. */
  forget(keys: readonly ObjectKey[]): void;
  /** Annotates nobody any more, nor those who wait for an API server that is away: somebody else may give out addresses now. */
  close(): void;
}

/**
 * `assignmentOf` says what is so now; null: the pod has no addresses. `report` is told why a pod cannot be annotated, and null as soon as there is no such pod
 * any more. What was refused is tried again, for nobody tells that an admin has allowed it.
 */
export function createPodAnnotations(
  api: Pick<KubernetesApi, 'annotate'>,
  assignmentOf: (key: ObjectKey) => Assignment | null,
  report: (error: AgentError | null) => void,
): PodAnnotations {
  const underWay = new Set<ObjectKey>();
  const failed = new Map<ObjectKey, AgentError>();
  const giveUp = new AbortController();
  let failures = 0;
  let retry: NodeJS.Timeout | null = null;

  const tellFailed = (): void => {
    report([...failed.values()][0] ?? null);
    if (failed.size === 0) failures = 0;
    if (failed.size === 0 || retry !== null) return;
    failures += 1;
    retry = setTimeout(() => {
      retry = null;
      [...failed.keys()].forEach(annotate);
    }, retryAfterMs(failures));
  };
  const forget = (keys: readonly ObjectKey[]): void => {
    const known = keys.filter((key) => failed.delete(key));
    if (known.length > 0) tellFailed();
  };
  const ended = (key: ObjectKey, { pod, addresses }: Assignment, error: AgentError | null): void => {
    underWay.delete(key);
    if (giveUp.signal.aborted) return;
    if (error !== null) failed.set(key, error);
    else failed.delete(key);
    tellFailed();
    const now = assignmentOf(key);
    // What has changed meanwhile: another pod of the same name, or other addresses.
    if (error === null && (now?.pod.uid !== pod.uid || now.addresses !== addresses)) annotate(key);
  };
  function annotate(key: ObjectKey): void {
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

/** The annotations that the pod does not have as they should be. */
function missingOf({ pod, addresses, node, layout }: Assignment): readonly (readonly [string, string])[] {
  const wanted = Object.entries(wantedAnnotations(addresses, node, layout, pod.uid));
  return wanted.filter(([name, value]) => pod.annotations[name] !== value);
}
