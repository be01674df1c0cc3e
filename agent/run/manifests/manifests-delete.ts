import type { Cluster } from '../../drivers/kubernetes/cluster-port.ts';
import { inventoryReference } from '../../manifests/inventory.ts';
import { keyOf, namespaceName, type ObjectReference, referenceOf, titleOf } from '../../model/kubernetes/object.ts';
import { wavesOf } from '../../model/kubernetes/object-kinds.ts';
import type { DeleteReport, ObjectOutcome } from '../../model/manifests.ts';
import { type ClusterRun, findEarlier, sortOut, waitForPods, waitUntilRemoved } from './manifests-cluster.ts';

/**
 * Removes every object that only the agent owns, in the reverse order of applying. Removes the objects in groups, and
 * waits until a group is gone before it removes the next. The namespace stays if it contains objects of other owners.
 */
export async function deleteObjects(run: ClusterRun, note: (line: string) => void): Promise<DeleteReport> {
  const { cluster } = run;
  const earlier = await findEarlier(cluster);
  const references = [...new Map(earlier.references.map((one) => [keyOf(one), one])).values()];
  const { own, shared, gone } = await sortOut(cluster, [...references, inventoryReference]);
  const left = shared.map(({ reference }) => reference).filter(({ namespace }) => namespace !== null);
  const foreign = [...new Set([...(await foreignObjects(cluster, own)), ...left.map(titleOf)])];
  const objects: ObjectOutcome[] = [];
  // Pods of daemonsets that an earlier run removed may still be terminating.
  for (const reference of gone) await waitForPods(run, reference);
  const isLast = ({ kind, name }: ObjectReference): boolean => kind === 'Namespace' || name === inventoryReference.name;
  // The inventory, a ConfigMap that lists the applied objects, is removed after all other objects, except the
  // namespace, so that the run after an interruption finds the remaining objects.
  const last = own.filter(isLast).filter(({ kind }) => kind !== 'Namespace' || foreign.length === 0);
  const waves = [...wavesOf(last), ...wavesOf(own.filter((reference) => !isLast(reference)))].reverse();
  for (const wave of waves) {
    for (const reference of wave) {
      note(`removing ${titleOf(reference)}`);
      await cluster.remove(reference);
      objects.push({ object: titleOf(reference), outcome: 'removed' });
    }
    // The pods need their service accounts and ConfigMaps until their preStop hooks have ended.
    for (const reference of wave) await waitUntilRemoved(run, reference);
  }
  return { objects, shared: shared.map(({ reference, owners }) => ({ object: titleOf(reference), owners })), foreign };
}

/**
 * Returns the ConfigMaps, daemonsets and deployments of other owners in the namespace, such as the administrator's
 * ConfigMap env-overrides. They would be deleted together with the namespace. ConfigMaps that a controller creates by
 * itself do not count.
 */
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
