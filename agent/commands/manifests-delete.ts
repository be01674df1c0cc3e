import type { Cluster } from '../manifests/cluster-port.ts';
import { inventoryReference, isOurs } from '../manifests/inventory.ts';
import { wavesOf } from '../manifests/kinds.ts';
import { keyOf, namespaceName, type ObjectReference, referenceOf, titleOf } from '../manifests/object.ts';
import type { ObjectOutcome } from '../model/manifests.ts';
import { type ClusterRun, findEarlier, waitUntilEmpty, waitUntilGone } from './manifests-cluster.ts';

export interface DeleteResult {
  readonly objects: readonly ObjectOutcome[];
  /** What somebody else has in the namespace, for which it is kept. */
  readonly foreign: readonly string[];
}

/** Removes everything of ours in the reverse order of applying, each step only when the one before it is finished. */
export async function deleteObjects(run: ClusterRun, note: (line: string) => void): Promise<DeleteResult> {
  const { cluster } = run;
  const earlier = await findEarlier(cluster);
  const references = [...new Map(earlier.references.map((one) => [keyOf(one), one])).values()];
  const foreign = await foreignObjects(cluster, references);
  const objects: ObjectOutcome[] = [];
  const removeAll = async (wave: readonly ObjectReference[]): Promise<void> => {
    for (const reference of wave) {
      if (!isOurs(await cluster.get(reference))) continue;
      note(`removing ${titleOf(reference)}`);
      await cluster.remove(reference);
      objects.push({ object: titleOf(reference), outcome: 'removed' });
    }
    for (const reference of wave) await waitUntilGone(run, reference);
  };
  for (const wave of wavesOf(references).reverse()) {
    const isNamespace = wave.some(({ kind }) => kind === 'Namespace');
    // The inventory goes last of all in the namespace: until then a run that was cut off knows what is left.
    if (isNamespace) await removeAll([inventoryReference]);
    if (!isNamespace || foreign.length === 0) await removeAll(wave);
    // The pods need their accounts and ConfigMaps until their preStop is done.
    if (wave.some(({ kind }) => kind === 'DaemonSet')) await waitForPods(run);
  }
  return { objects, foreign };
}

async function waitForPods(run: ClusterRun): Promise<void> {
  const pods = {
    apiVersion: 'v1',
    plural: 'pods',
    namespace: namespaceName,
    labelSelector: 'app in (ovnkube-master,ovnkube-node)',
  };
  await waitUntilEmpty(run, pods, 'Pod');
}

/** ConfigMaps and workloads that are not ours would be lost with the namespace; env-overrides is an admin's own. */
async function foreignObjects(cluster: Cluster, own: readonly ObjectReference[]): Promise<string[]> {
  const keys = new Set([...own, inventoryReference].map(keyOf));
  const byController = ['kube-root-ca.crt', 'openshift-service-ca.crt', 'control-plane-status'];
  const collections = [
    { apiVersion: 'v1', plural: 'configmaps' },
    { apiVersion: 'apps/v1', plural: 'daemonsets' },
    { apiVersion: 'apps/v1', plural: 'deployments' },
  ].map((one) => ({ ...one, namespace: namespaceName }));
  const lists = await Promise.all(collections.map(cluster.list));
  return lists
    .flatMap(({ items }) => items)
    .map(referenceOf)
    .filter((reference) => !byController.includes(reference.name) && !keys.has(keyOf(reference)))
    .map(titleOf);
}
