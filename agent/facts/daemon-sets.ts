import { existsSync } from 'node:fs';
import { openCluster } from '../drivers/kubernetes/open-cluster.ts';
import { daemonSetState } from '../manifests/rollout.ts';
import { namespaceName } from '../model/kubernetes/object.ts';
import { type DaemonSetState, microshiftKubeconfig } from '../model/manifests.ts';

/**
 * Returns the daemonsets of ovn-kubernetes, whichever program applied them; null if this node has no kubeconfig of
 * MicroShift. A kubeconfig from the caller's environment is not used: it may name programs, which would then run as
 * root. Each request is sent once; if the API server does not answer it, the function fails.
 */
export async function readDaemonSets(): Promise<readonly DaemonSetState[] | null> {
  if (!existsSync(microshiftKubeconfig)) return null;
  const signal = new AbortController().signal;
  const silent = { note: () => undefined, warn: () => undefined };
  const cluster = await openCluster(microshiftKubeconfig, { ...silent, limitMs: 0, end: 0, signal }, true);
  try {
    const inNamespace = { namespace: namespaceName };
    const [daemonSets, pods, events] = await Promise.all([
      cluster.list({ ...inNamespace, apiVersion: 'apps/v1', plural: 'daemonsets' }),
      cluster.list({ ...inNamespace, apiVersion: 'v1', plural: 'pods' }),
      cluster.list({ ...inNamespace, apiVersion: 'v1', plural: 'events', fieldSelector: 'involvedObject.kind=Pod' }),
    ]);
    return daemonSets.items.map((daemonSet) => daemonSetState(daemonSet, pods.items, events.items));
  } finally {
    cluster.close();
  }
}
