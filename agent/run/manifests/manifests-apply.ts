import { AgentError, asAgentError } from '../../errors.ts';
import { applyOutcome } from '../../manifests/compare.ts';
import { inventoryObject, staleReferences } from '../../manifests/inventory.ts';
import { coOwners } from '../../manifests/object-ownership.ts';
import {
  type KubernetesObject,
  keyOf,
  namespaceName,
  type ObjectReference,
  referenceOf,
  titleOf,
} from '../../model/kubernetes/object.ts';
import { wavesOf } from '../../model/kubernetes/object-kinds.ts';
import type { ApplyReport, ObjectOutcome } from '../../model/manifests.ts';
import {
  type ClusterRun,
  dryRun,
  type Earlier,
  findEarlier,
  sortOut,
  waitUntilGone,
  waitUntilRemoved,
} from './manifests-cluster.ts';
import type { Rendered } from './manifests-input.ts';
import { waitForRollout } from './manifests-rollout.ts';

export interface ApplySettings {
  readonly force: boolean;
  readonly wait: boolean;
  readonly note: (line: string) => void;
}

/**
 * Applies the objects in this order: namespace; inventory of the old and the new objects; the other objects in
 * dependency order; removal of stale objects; inventory of the new objects. After a crash at any point, the next run
 * therefore finds in the inventory every object that may exist, except the namespace. Objects that a dry run reports as
 * unchanged are not sent.
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
  { force }: ApplySettings,
): Promise<ObjectOutcome[]> {
  const { cluster } = run;
  const options = { dryRun: false, force };
  const wanted = objects.map(referenceOf);
  const earlier = await findEarlier(cluster);
  refuseTerminating(earlier);
  const { own: stale } = await sortOut(cluster, staleReferences(earlier.references, wanted));
  const outcomes: ObjectOutcome[] = [];
  const verdicts = new Map<KubernetesObject, KubernetesObject | null>();
  const judge = (some: readonly KubernetesObject[]): Promise<void> =>
    forEach(some, async (object) => void verdicts.set(object, await dryRun(cluster, object, force)));
  const put = async (object: KubernetesObject): Promise<void> =>
    void outcomes.push(await putObject(run, object, verdicts.get(object) ?? null, earlier, force));

  // A dry run of the objects comes before the first write. Only the objects in a namespace that does not exist yet are
  // checked later, after the namespace is created.
  await judge(objects);
  const [namespaces = [], ...waves] = wavesOf(objects);
  await forEach(namespaces, put);
  await judge(objects.filter((object) => verdicts.get(object) === null));

  const after = inventoryObject(flavor, wanted);
  const before = stale.length === 0 ? after : inventoryObject('changing', [...wanted, ...stale]);
  if (!sameData(before, earlier.inventory)) await cluster.apply(before, options);
  for (const wave of waves) await forEach(wave, put);
  for (const reference of wavesOf(stale).reverse().flat()) {
    await cluster.remove(reference);
    outcomes.push({ object: titleOf(reference), outcome: 'removed' });
  }
  if (before !== after) await cluster.apply(after, options);
  return outcomes;
}

/** Sends an object to the API server, unless the dry run reported it as unchanged. */
async function putObject(
  run: ClusterRun,
  object: KubernetesObject,
  verdict: KubernetesObject | null,
  { labelled, references }: Earlier,
  force: boolean,
): Promise<ObjectOutcome> {
  const reference = referenceOf(object);
  const isIt = (other: ObjectReference): boolean => keyOf(other) === keyOf(reference);
  const before = labelled.find((one) => isIt(referenceOf(one))) ?? null;
  const outcome = applyOutcome(verdict, before, references.some(isIt));
  const isShared = force && object.kind === 'DaemonSet' && verdict !== null && coOwners(verdict).length > 0;
  if (!isShared && outcome === 'unchanged') return { object: titleOf(reference), outcome };
  if (isShared) {
    // A daemonset of another owner is replaced, because an apply would merge its containers and volumes with the new
    // ones, and the pods would run both.
    await run.cluster.remove(reference);
    await waitUntilRemoved(run, reference);
  }
  await run.cluster.apply(object, { dryRun: false, force });
  return { object: titleOf(reference), outcome: outcome === 'unchanged' ? 'changed' : outcome };
}

/**
 * Runs a task for all items at once and waits until every task has ended. If at least one task fails, throws one error.
 */
async function forEach<T>(items: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
  const settled = await Promise.allSettled(items.map(task));
  const [first, ...others] = settled.flatMap((one) => (one.status === 'rejected' ? [asAgentError(one.reason)] : []));
  if (first !== undefined) throw mergedError(first, others);
}

/**
 * Fails with `cluster-not-ready` if the namespace is being removed. An apply to it would succeed, and the objects would
 * be lost.
 */
function refuseTerminating({ labelled }: Earlier): void {
  const namespace = labelled.find(({ kind }) => kind === 'Namespace');
  if (namespace?.metadata.deletionTimestamp === undefined) return;
  throw new AgentError('cluster-not-ready', `namespace ${namespaceName} is being removed`, {
    hint: 'wait until it is gone, or look for a finalizer that keeps it: kubectl get namespace -o yaml',
    facts: { terminating: true },
  });
}

/**
 * Returns the first failure that is not a conflict. If all failures are conflicts, returns one error with all of them,
 * so that an administrator sees all fields in conflict at once.
 */
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
