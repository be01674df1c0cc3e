import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { type AgentError, asAgentError, withDetails } from '../../../errors.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { ClusterNode } from '../../../model/workload.ts';
import { publishedAnnotations, publishedNames } from '../../../workload/published-addresses.ts';
import { retryAfterMs } from '../loop/pace.ts';

/**
 * Pause after a write to a Node, in which the event about the write arrives. The pause also limits the number of writes
 * if another program repeatedly writes other values.
 */
const restMs = 5_000;

/** Writer of the annotations that publish the addresses of the members. */
export interface NodeAnnotations {
  /**
   * Writes the annotations that differ, and removes those that this program has written on Nodes that are not members.
   */
  settle(members: readonly OverlayNode[]): void;
  /** Cancels further writes, including those that wait for an API server. */
  close(): void;
}

/**
 * Creates the writer. `nodes` has the Nodes as the API server last reported them. `report` is called with an error
 * while a Node cannot be annotated, and with null when no such Node is left. Tries again after a refusal, because no
 * event reports that an administrator has allowed the write.
 */
export function createNodeAnnotations(
  api: Pick<KubernetesApi, 'annotateNode'>,
  nodes: ReadonlyMap<string, ClusterNode>,
  report: (error: AgentError | null) => void,
): NodeAnnotations {
  /** Names of Nodes that are being written, or whose pause after a write has not ended. */
  const busy = new Set<string>();
  const failed = new Map<string, AgentError>();
  const timers = new Set<NodeJS.Timeout>();
  const giveUp = new AbortController();
  let members: readonly OverlayNode[] = [];
  let failures = 0;

  const later = (ms: number, name: string): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      busy.delete(name);
      look();
    }, ms);
    timers.add(timer);
  };
  const ended = (name: string, error: AgentError | null): void => {
    if (giveUp.signal.aborted) return;
    if (error === null) failed.delete(name);
    else failed.set(name, error);
    failures = failed.size === 0 ? 0 : failures + 1;
    report([...failed.values()][0] ?? null);
    later(error === null ? restMs : retryAfterMs(failures), name);
  };
  function look(): void {
    if (giveUp.signal.aborted) return;
    const differences = [...nodes].map(([name, node]) => [name, differingAnnotations(node, members)] as const);
    const due = differences.filter(([, differing]) => Object.keys(differing).length > 0);
    const mended = [...failed.keys()].filter((name) => !due.some(([one]) => one === name) && failed.delete(name));
    if (mended.length > 0) report([...failed.values()][0] ?? null);
    for (const [name, differing] of due) {
      if (busy.has(name)) continue;
      busy.add(name);
      api.annotateNode(name, differing, giveUp.signal).then(
        () => ended(name, null),
        (error: unknown) => ended(name, explained(asAgentError(error))),
      );
    }
  }
  return {
    settle: (now) => {
      members = now;
      look();
    },
    close: () => {
      giveUp.abort();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/**
 * Returns the annotations of a Node that have to be written, with null for those that have to be removed. On a Node
 * that is not a member, and for facts that a member does not have, only annotations of this program are removed.
 */
export function differingAnnotations(
  { name, published = {}, publishedHere = [] }: ClusterNode,
  members: readonly OverlayNode[],
): Readonly<Record<string, string | null>> {
  const member = members.find((one) => one.name === name);
  const wanted = member === undefined ? {} : publishedAnnotations(member);
  return Object.fromEntries(
    publishedNames.flatMap((one): (readonly [string, string | null])[] => {
      const value = wanted[one];
      if (value !== undefined) return value === published[one] ? [] : [[one, value]];
      return publishedHere.includes(one) ? [[one, null]] : [];
    }),
  );
}

/**
 * Returns an error of HTTP status 403 with the remedy for an account that was made with the roles of an earlier
 * release; any other error unchanged.
 */
function explained(error: AgentError): AgentError {
  if (error.facts.httpStatus !== 403) return error;
  return withDetails(error, {
    hint: 'give the account of the central node its present rights: kubectl apply -f /usr/share/microshift-net/overlay-access.yaml',
  });
}
