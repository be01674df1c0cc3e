import { AgentError, asAgentError } from '../errors.ts';
import { inventoryObject, isOurs, staleReferences } from '../manifests/inventory.ts';
import { wavesOf } from '../manifests/kinds.ts';
import { type KubernetesObject, keyOf, namespaceName, referenceOf, titleOf } from '../manifests/object.ts';
import type { ApplyReport, ObjectOutcome } from '../model/manifests.ts';
import { type ClusterRun, type Earlier, findEarlier, waitUntilGone } from './manifests-cluster.ts';
import type { Rendered } from './manifests-input.ts';
import { waitForRollout } from './manifests-rollout.ts';

export interface ApplySettings {
  readonly force: boolean;
  readonly wait: boolean;
  readonly note: (line: string) => void;
}

/**
 * Puts the objects on the server: namespace, inventory of old and new, the rest in dependency order, then the removal of
 * what is wanted no more, then the inventory as it is now. Dead at any point, the next run knows everything there may be.
 */
export async function applyObjects(run: ClusterRun, rendered: Rendered, settings: ApplySettings): Promise<ApplyReport> {
  for (;;) {
    try {
      const objects = await applyOnce(run, rendered, settings);
      const daemonSets = settings.wait ? await waitForRollout(run, settings.note) : null;
      return { flavor: rendered.flavor, server: run.cluster.server, objects, daemonSets };
    } catch (thrown) {
      const error = asAgentError(thrown);
      if (error.facts.terminating !== true || run.remainingMs() === 0) throw error;
      settings.note(`waiting: namespace ${namespaceName} is being removed`);
      await waitUntilGone(run, { apiVersion: 'v1', kind: 'Namespace', namespace: null, name: namespaceName });
    }
  }
}

async function applyOnce(
  run: ClusterRun,
  { flavor, objects }: Rendered,
  settings: ApplySettings,
): Promise<ObjectOutcome[]> {
  const { cluster } = run;
  const options = { dryRun: false, force: settings.force };
  const wanted = objects.map(referenceOf);
  const earlier = await findEarlier(cluster);
  const stale = staleReferences(earlier.references, wanted);
  const outcomes: ObjectOutcome[] = [];
  const [namespaces = [], ...waves] = wavesOf(objects);
  const putAll = async (wave: readonly KubernetesObject[]): Promise<void> => {
    const settled = await Promise.allSettled(wave.map((object) => cluster.apply(object, options)));
    const [first, ...others] = settled.flatMap((one) => (one.status === 'rejected' ? [asAgentError(one.reason)] : []));
    if (first !== undefined) throw mergedError(first, others);
    for (const one of settled) if (one.status === 'fulfilled') outcomes.push(outcomeOf(one.value, earlier));
  };
  await putAll(namespaces);
  const [namespace] = outcomes;
  if (namespace?.outcome !== 'created') await refuseTerminating(earlier);

  const after = inventoryObject(flavor, wanted);
  const before = stale.length === 0 ? after : inventoryObject('changing', [...wanted, ...stale]);
  if (!sameData(before, earlier.inventory)) await cluster.apply(before, options);
  for (const wave of waves) await putAll(wave);
  for (const reference of wavesOf(stale).reverse().flat()) {
    if (!isOurs(await cluster.get(reference))) continue;
    await cluster.remove(reference);
    outcomes.push({ object: titleOf(reference), outcome: 'removed' });
  }
  if (before !== after) await cluster.apply(after, options);
  return outcomes;
}

function outcomeOf(object: KubernetesObject, { labelled }: Earlier): ObjectOutcome {
  const reference = referenceOf(object);
  const before = labelled.find((one) => keyOf(referenceOf(one)) === keyOf(reference));
  const { resourceVersion } = object.metadata;
  const outcome =
    before === undefined ? 'created' : before.metadata.resourceVersion === resourceVersion ? 'unchanged' : 'changed';
  return { object: titleOf(reference), outcome };
}

/** An apply to a namespace that is being removed succeeds, and what is put into it is lost. */
function refuseTerminating({ labelled }: Earlier): void {
  const namespace = labelled.find(({ kind }) => kind === 'Namespace');
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  throw new AgentError('cluster-not-ready', `namespace ${namespaceName} is being removed`, {
    hint: 'wait until it is gone, or look for a finalizer that keeps it: kubectl get namespace -o yaml',
    facts: { terminating: true },
  });
}

/** Conflicts are told together: an admin wants to see every field at once. Of other failures the first is as good as any. */
function mergedError(first: AgentError, others: readonly AgentError[]): AgentError {
  const failures = [first, ...others];
  const unlike = failures.find(({ kind }) => kind !== 'apply-conflict');
  if (unlike !== undefined || others.length === 0) return unlike ?? first;
  const objects = failures.map(({ message }) => message);
  return new AgentError('apply-conflict', objects.join('; '), { hint: first.hint, facts: { objects } });
}

function sameData(a: KubernetesObject, b: KubernetesObject | null): boolean {
  const text = (object: KubernetesObject | null): string =>
    JSON.stringify(Object.entries((object?.data as object | undefined) ?? {}).sort());
  return b !== null && text(a) === text(b);
}
