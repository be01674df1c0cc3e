import { existsSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import { openApi } from '../../../drivers/kubernetes/open-api.ts';
import { asAgentError } from '../../../errors.ts';
import type { ClusterNode } from '../../../model/workload.ts';
import { readNode } from '../../../workload/cluster-nodes.ts';
import { publishedNames } from '../../../workload/published-addresses.ts';
import { differingAnnotations } from '../watcher/node-annotations.ts';

/**
 * Time limit for the removal of all annotations. The API server answers in milliseconds, and the overlay ends whether
 * the annotations are removed or not.
 */
const limitMs = 10_000;

/**
 * Removes the annotations that this program has written on the Nodes of a cluster whose overlay ends. Returns the
 * command that has to be run later if the API server refuses the removal or does not answer; null if all annotations
 * were removed, or if the node has no kubeconfig.
 */
export async function unpublish(
  { nodeName, kubeconfig }: { readonly nodeName: string; readonly kubeconfig: string | null },
  say: (step: string) => void,
): Promise<string | null> {
  if (!existsSync(kubeconfigPath(kubeconfig, process.env))) return null;
  const api = openApi({ kubeconfig, nodeName, say });
  const tooLate = new AbortController();
  try {
    const late = pause(limitMs, 'no answer within 10 s', { signal: tooLate.signal });
    const fault = await Promise.race([removeAll(api, say), late]);
    if (fault === null) return null;
    const removal = publishedNames.map((name) => `${name}-`).join(' ');
    return `annotations of the Nodes (${fault}); remove them with: kubectl annotate nodes --all ${removal}`;
  } finally {
    tooLate.abort();
    api.close();
  }
}

/** Removes the annotations from all Nodes. Resolves with the first failure; null if all annotations were removed. */
async function removeAll(api: KubernetesApi, say: (step: string) => void): Promise<string | null> {
  const nodes = await new Promise<readonly ClusterNode[] | string>((resolve) => {
    api.follow<ClusterNode>(
      { apiVersion: 'v1', plural: 'nodes', namespace: null },
      {
        read: readNode,
        whole: resolve,
        changes: () => undefined,
        lost: ({ message }) => resolve(message),
        found: () => undefined,
      },
    );
  });
  if (typeof nodes === 'string') return nodes;
  for (const node of nodes) {
    const removed = differingAnnotations(node, []);
    if (Object.keys(removed).length === 0) continue;
    say(`Node ${node.name}: removing its addresses`);
    try {
      await api.annotateNode(node.name, removed);
    } catch (error) {
      return asAgentError(error).message;
    }
  }
  return null;
}
