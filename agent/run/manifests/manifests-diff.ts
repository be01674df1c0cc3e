import type { Cluster } from '../../drivers/kubernetes/cluster-port.ts';
import { asAgentError } from '../../errors.ts';
import { compareObjects } from '../../manifests/compare.ts';
import { staleReferences } from '../../manifests/inventory.ts';
import { type KubernetesObject, referenceOf, titleOf } from '../../model/kubernetes/object.ts';
import type { ObjectDifference } from '../../model/manifests.ts';
import { dryRun, findEarlier, sortOut } from './manifests-cluster.ts';

/**
 * Returns the changes that an apply would make: those that a dry run of the API server reports, and the removal of
 * stale objects. Unchanged objects are left out.
 */
export async function diffObjects(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<ObjectDifference[]> {
  const differences = await Promise.all(objects.map((object) => differenceOf(cluster, object)));
  const { references } = await findEarlier(cluster);
  const stale = await sortOut(cluster, staleReferences(references, objects.map(referenceOf)));
  const removals = stale.own.map((reference): ObjectDifference => {
    return { object: titleOf(reference), change: 'remove', fields: [], conflict: null };
  });
  return [...differences.filter((one) => one !== null), ...removals];
}

async function differenceOf(cluster: Cluster, object: KubernetesObject): Promise<ObjectDifference | null> {
  const title = titleOf(referenceOf(object));
  const live = await cluster.get(referenceOf(object));
  const { result, conflict } = await verdictOf(cluster, object);
  if (live === null || result === null) return { object: title, change: 'create', fields: [], conflict };
  const fields = compareObjects(live, result);
  return fields.length === 0 && conflict === null ? null : { object: title, change: 'change', fields, conflict };
}

/**
 * Returns the result of a dry run for an object. If the dry run reports a conflict, returns the message of the
 * conflict, which names the owners of the fields, and the result of a second dry run, which takes the fields over.
 */
async function verdictOf(
  cluster: Cluster,
  object: KubernetesObject,
): Promise<{ result: KubernetesObject | null; conflict: string | null }> {
  try {
    return { result: await dryRun(cluster, object, false), conflict: null };
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind !== 'apply-conflict') throw error;
    const replacement =
      object.kind === 'DaemonSet' ? '; --force-conflicts replaces it, without additions of other managers' : '';
    return { result: await dryRun(cluster, object, true), conflict: `${error.message}${replacement}` };
  }
}
