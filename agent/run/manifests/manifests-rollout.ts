import type { Cluster } from '../../drivers/kubernetes/cluster-port.ts';
import { AgentError } from '../../errors.ts';
import { containerRefused, lastingRefusal, type RefusedContainer, refusedContainers } from '../../manifests/refusal.ts';
import { daemonSetState, isRolledOut } from '../../manifests/rollout.ts';
import {
  type Collection,
  type KubernetesObject,
  managedBySelector,
  namespaceName,
} from '../../model/kubernetes/object.ts';
import type { DaemonSetState } from '../../model/manifests.ts';
import { type ClusterRun, waitForObjects } from './manifests-cluster.ts';

const ownDaemonSets = {
  apiVersion: 'apps/v1',
  plural: 'daemonsets',
  namespace: namespaceName,
  labelSelector: managedBySelector,
} as const;

const inNamespace = { apiVersion: 'v1', namespace: namespaceName } as const;
const ownPods = { ...inNamespace, plural: 'pods', labelSelector: 'app in (ovnkube-master,ovnkube-node)' } as const;
const podEvents = { ...inNamespace, plural: 'events', fieldSelector: 'involvedObject.kind=Pod' } as const;

/**
 * Waits until every daemonset of the agent runs its present version on every node, and reports the progress. Fails
 * before the time limit if a container cannot start. Only the status of the pods shows such a container; the status of
 * the daemonset does not.
 */
export async function waitForRollout(run: ClusterRun, note: (line: string) => void): Promise<DaemonSetState[]> {
  const reported = new Map<string, string>();
  let [daemonSets, pods] = await Promise.all([itemsOf(run, ownDaemonSets), itemsOf(run, ownPods)]);
  const before = refusedContainers(daemonSets, pods);
  const refusal = (): RefusedContainer | null => lastingRefusal(before, refusedContainers(daemonSets, pods));
  const isRolledOutNow = (now: readonly KubernetesObject[]): boolean => {
    daemonSets = now;
    for (const daemonSet of now) {
      const { name, desired, updated, ready } = daemonSetState(daemonSet, [], []);
      const line = `${name}: ${updated}/${desired} updated, ${ready}/${desired} ready`;
      if (reported.get(name) !== line) note(line);
      reported.set(name, line);
    }
    return now.every(isRolledOut);
  };
  const isRefusedNow = (now: readonly KubernetesObject[]): boolean => {
    pods = now;
    return refusal() !== null;
  };
  const onTimeout = async (): Promise<AgentError> => notRolledOut(await readStates(run.cluster));
  const over = new AbortController();
  const waiting = { ...run, signal: over.signal };
  const refused = await Promise.race([
    waitForObjects(waiting, ownDaemonSets, isRolledOutNow, onTimeout).then(() => null),
    waitForObjects(waiting, ownPods, isRefusedNow, onTimeout).then(refusal),
  ]).finally(() => over.abort());
  if (refused !== null) throw containerRefused(refused);
  return readStates(run.cluster);
}

async function itemsOf({ cluster }: ClusterRun, collection: Collection): Promise<readonly KubernetesObject[]> {
  return (await cluster.list(collection)).items;
}

/** Returns every daemonset of the agent with its containers. */
export async function readStates(cluster: Cluster): Promise<DaemonSetState[]> {
  const [daemonSets, pods, events] = await Promise.all([
    cluster.list(ownDaemonSets),
    cluster.list(ownPods),
    cluster.list(podEvents),
  ]);
  return daemonSets.items.map((daemonSet) => daemonSetState(daemonSet, pods.items, events.items));
}

function notRolledOut(states: readonly DaemonSetState[]): AgentError {
  const reasons = states
    .filter(({ rolledOut }) => !rolledOut)
    .map(({ name, containers }) => {
      const waiting = containers.find(({ notReady }) => notReady !== null);
      return waiting === undefined
        ? `${name} is not updated on every node`
        : `${name}/${waiting.name}: ${waiting.notReady}`;
    });
  return new AgentError('rollout-timeout', `the pods are not running in time: ${reasons.join('; ')}`, {
    hint: 'look at manifests status and at the container logs; a second apply --wait goes on waiting',
    facts: { reasons },
  });
}
