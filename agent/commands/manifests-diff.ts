import { asAgentError } from '../errors.ts';
import type { Cluster } from '../manifests/cluster-port.ts';
import { compareObjects } from '../manifests/compare.ts';
import { isOurs, staleReferences } from '../manifests/inventory.ts';
import { type KubernetesObject, referenceOf, titleOf } from '../manifests/object.ts';
import type { ObjectDifference } from '../model/manifests.ts';
import { findEarlier } from './manifests-cluster.ts';

/** What an apply would change, found out by the server itself in a dry run; objects that stay as they are are left out. */
export async function diffObjects(cluster: Cluster, objects: readonly KubernetesObject[]): Promise<ObjectDifference[]> {
  const differences = await Promise.all(objects.map((object) => differenceOf(cluster, object)));
  const { references } = await findEarlier(cluster);
  const stale = await Promise.all(
    staleReferences(references, objects.map(referenceOf)).map(async (reference): Promise<ObjectDifference | null> => {
      if (!isOurs(await cluster.get(reference))) return null;
      return { object: titleOf(reference), change: 'remove', fields: [], conflict: null };
    }),
  );
  return [...differences, ...stale].filter((one) => one !== null);
}

async function differenceOf(cluster: Cluster, object: KubernetesObject): Promise<ObjectDifference | null> {
  const title = titleOf(referenceOf(object));
  const live = await cluster.get(referenceOf(object));
  const { result, conflict } = await dryRun(cluster, object);
  if (live === null) return { object: title, change: 'create', fields: [], conflict };
  const fields = compareObjects(live, result);
  return fields.length === 0 && conflict === null ? null : { object: title, change: 'change', fields, conflict };
}

/** A conflict would stop an apply; the diff tells whose fields they are, and what taking them over would change. */
async function dryRun(
  cluster: Cluster,
  object: KubernetesObject,
): Promise<{ result: KubernetesObject; conflict: string | null }> {
  try {
    return { result: await cluster.apply(object, { dryRun: true, force: false }), conflict: null };
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.kind === 'apply-conflict') {
      return { result: await cluster.apply(object, { dryRun: true, force: true }), conflict: error.message };
    }
    // In a dry run the namespace is not made, so the server cannot judge what goes into it.
    if (error.facts.httpStatus === 404) return { result: object, conflict: null };
    throw error;
  }
}
