import type { Cluster, OnEvent } from '../../drivers/kubernetes/cluster-port.ts';
import { AgentError, asAgentError } from '../../errors.ts';
import { inventoryReference, inventoryReferences } from '../../manifests/inventory.ts';
import { coOwners, isOurs } from '../../manifests/object-ownership.ts';
import {
  type Collection,
  type KubernetesObject,
  managedBySelector,
  namespaceName,
  type ObjectReference,
  referenceOf,
} from '../../model/kubernetes/object.ts';
import { kinds } from '../../model/kubernetes/object-kinds.ts';
import type { ClusterInput } from './manifests-input.ts';

/** Connection to a cluster, and the time that is left of the command's time limit. */
export interface ClusterRun {
  readonly cluster: Cluster;
  readonly remainingMs: () => number;
  /** Signal that ends a wait before the time limit. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a task with a connection to the cluster that the options name. The Kubernetes library is loaded only here,
 * because rendering does not need it. An interruption ends every wait. After an interrupted apply, the applied objects
 * stay, and a second run applies the others.
 */
export async function withCluster<T>(
  options: ClusterInput,
  defaultSeconds: number,
  task: (run: ClusterRun) => Promise<T>,
): Promise<T> {
  const { openCluster } = await import('../../drivers/kubernetes/open-cluster.ts');
  const limitMs = (options.timeoutSeconds ?? defaultSeconds) * 1000;
  const end = performance.now() + limitMs;
  const retryBudget = {
    limitMs,
    end,
    note: (reason: string) => options.output.say(`waiting: ${reason}`),
    warn: (message: string) => options.output.say(`warning: ${message}`),
    signal: options.signal,
  };
  const cluster = await openCluster(options.kubeconfig ?? null, retryBudget, options.hasMicroshift);
  try {
    await cluster.ready();
    return await task({ cluster, remainingMs: () => Math.max(0, Math.ceil(end - performance.now())) });
  } finally {
    cluster.close();
  }
}

/** Objects that earlier applies left in the cluster. */
export interface Earlier {
  readonly inventory: KubernetesObject | null;
  /** Present objects with the agent's label. */
  readonly labelled: readonly KubernetesObject[];
  readonly references: readonly ObjectReference[];
}

/**
 * Finds the objects of earlier applies: by label, and by the inventory, a ConfigMap that lists them
 * (manifests/inventory.ts).
 */
export async function findEarlier(cluster: Cluster): Promise<Earlier> {
  const collections = Object.values(kinds).map(({ apiVersion, plural, namespaced }) => {
    const namespace = namespaced ? namespaceName : null;
    return { apiVersion, plural, namespace, labelSelector: managedBySelector };
  });
  const lists = await Promise.all(collections.map(cluster.list));
  const labelled = lists.flatMap(({ items }) => items);
  const isInventory = ({ kind, metadata }: KubernetesObject): boolean =>
    kind === inventoryReference.kind && metadata.name === inventoryReference.name;
  const inventory = labelled.find(isInventory) ?? (await cluster.get(inventoryReference));
  const references = labelled.filter((one) => !isInventory(one)).map(referenceOf);
  return { inventory, labelled, references: [...references, ...inventoryReferences(inventory)] };
}

/**
 * References to the objects that the agent owns, and to objects that do not exist any more; objects of other programs
 * are left out.
 */
interface SortedOut {
  readonly own: readonly ObjectReference[];
  /** Objects of the agent in which another field manager owns fields. */
  readonly shared: readonly { readonly reference: ObjectReference; readonly owners: readonly string[] }[];
  readonly gone: readonly ObjectReference[];
}

/** Reads the objects of these references, and sorts the references by the owner of the object. */
export async function sortOut(cluster: Cluster, references: readonly ObjectReference[]): Promise<SortedOut> {
  const found = await Promise.all(
    references.map(async (reference) => ({ reference, live: await cluster.get(reference) })),
  );
  const ours = found.flatMap(({ reference, live }) =>
    live !== null && isOurs(live) ? [{ reference, owners: coOwners(live) }] : [],
  );
  return {
    own: ours.filter(({ owners }) => owners.length === 0).map(({ reference }) => reference),
    shared: ours.filter(({ owners }) => owners.length > 0),
    gone: found.filter(({ live }) => live === null).map(({ reference }) => reference),
  };
}

/**
 * Returns the object as the API server would store it; null if a dependency, such as its namespace, does not exist yet.
 */
export async function dryRun(
  cluster: Cluster,
  object: KubernetesObject,
  force: boolean,
): Promise<KubernetesObject | null> {
  try {
    return await cluster.apply(object, { dryRun: true, force });
  } catch (thrown) {
    const error = asAgentError(thrown);
    if (error.facts.httpStatus === 404) return null;
    throw error;
  }
}

/**
 * Lists a collection and watches it until `isDone` returns true for the present objects. At the time limit, throws the
 * error that `onTimeout` returns.
 */
export async function waitForObjects(
  { cluster, remainingMs, signal }: ClusterRun,
  collection: Collection,
  isDone: (objects: readonly KubernetesObject[]) => boolean,
  onTimeout: (objects: readonly KubernetesObject[]) => AgentError | Promise<AgentError>,
): Promise<readonly KubernetesObject[]> {
  for (;;) {
    const list = await cluster.list(collection);
    const objects = new Map(list.items.map((item) => [item.metadata.name, item]));
    const onEvent: OnEvent = ({ type, object }) => {
      if (type === 'DELETED') objects.delete(object.metadata.name);
      else objects.set(object.metadata.name, object);
      return isDone([...objects.values()]);
    };
    if (isDone([...objects.values()])) return [...objects.values()];
    const end =
      remainingMs() === 0
        ? 'time-over'
        : await cluster.watch(collection, list.resourceVersion, remainingMs(), onEvent, signal);
    if (end === 'done') return [...objects.values()];
    if (end === 'time-over') throw await onTimeout([...objects.values()]);
  }
}

/** Waits until an object is gone. At the time limit, fails with `delete-timeout` and names its finalizers. */
export async function waitUntilGone(run: ClusterRun, reference: ObjectReference): Promise<void> {
  const kind = kinds[reference.kind];
  if (kind === undefined) return;
  const { apiVersion, namespace, name } = reference;
  const collection = { apiVersion, plural: kind.plural, namespace, fieldSelector: `metadata.name=${name}` };
  await waitUntilEmpty(run, collection, reference.kind);
}

/** Waits until a removed object is gone and, if it is a daemonset, until its pods are gone too. */
export async function waitUntilRemoved(run: ClusterRun, reference: ObjectReference): Promise<void> {
  await waitUntilGone(run, reference);
  await waitForPods(run, reference);
}

/** Waits until a daemonset has no pods any more. Returns at once for an object of another kind. */
export async function waitForPods(run: ClusterRun, { kind, name, namespace }: ObjectReference): Promise<void> {
  if (kind !== 'DaemonSet') return;
  await waitUntilEmpty(run, { apiVersion: 'v1', plural: 'pods', namespace, labelSelector: `app=${name}` }, 'Pod');
}

/** Waits until a collection of objects of a kind is empty. */
async function waitUntilEmpty(run: ClusterRun, collection: Collection, kind: string): Promise<void> {
  await waitForObjects(
    run,
    collection,
    (objects) => objects.length === 0,
    ([object]) => stays(kind, object),
  );
}

/** Returns the error for an object that was not removed within the time limit, with its finalizers. */
function stays(kind: string, object: KubernetesObject | undefined): AgentError {
  const own = object?.metadata.finalizers;
  const ofNamespace = (object?.spec as { finalizers?: unknown } | undefined)?.finalizers;
  const finalizers = [own, ofNamespace].flatMap((list) => (Array.isArray(list) ? list.map(String) : []));
  const why = finalizers.length === 0 ? '' : `; its finalizers wait for ${finalizers.join(', ')}`;
  return new AgentError('delete-timeout', `${kind} ${object?.metadata.name} is still there${why}`, {
    hint: 'look for the controller that has to finish its work: kubectl get events -A',
    facts: { finalizers },
  });
}
