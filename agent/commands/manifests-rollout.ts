import { AgentError } from '../errors.ts';
import type { Cluster } from '../manifests/cluster-port.ts';
import { type KubernetesObject, managedBySelector, namespaceName } from '../manifests/object.ts';
import { daemonSetState, isRolledOut } from '../manifests/rollout.ts';
import type { DaemonSetState } from '../model/manifests.ts';
import { type ClusterRun, waitForObjects } from './manifests-cluster.ts';

const ownDaemonSets = {
  apiVersion: 'apps/v1',
  plural: 'daemonsets',
  namespace: namespaceName,
  labelSelector: managedBySelector,
} as const;

/** Waits until every daemonset of ours runs its present version on every node, telling what each step brought. */
export async function waitForRollout(run: ClusterRun, note: (line: string) => void): Promise<DaemonSetState[]> {
  const told = new Map<string, string>();
  const isDone = (daemonSets: readonly KubernetesObject[]): boolean => {
    for (const daemonSet of daemonSets) {
      const { name, desired, updated, ready } = daemonSetState(daemonSet, [], []);
      const line = `${name}: ${updated}/${desired} updated, ${ready}/${desired} ready`;
      if (told.get(name) !== line) note(line);
      told.set(name, line);
    }
    return daemonSets.every(isRolledOut);
  };
  await waitForObjects(run, ownDaemonSets, isDone, async () => notRolledOut(await readStates(run.cluster)));
  return readStates(run.cluster);
}

/** Every daemonset of ours with its containers. */
export async function readStates(cluster: Cluster): Promise<DaemonSetState[]> {
  const inNamespace = { apiVersion: 'v1', namespace: namespaceName };
  const [daemonSets, pods, events] = await Promise.all([
    cluster.list(ownDaemonSets),
    cluster.list({ ...inNamespace, plural: 'pods', labelSelector: 'app in (ovnkube-master,ovnkube-node)' }),
    cluster.list({ ...inNamespace, plural: 'events', fieldSelector: 'involvedObject.kind=Pod' }),
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
  return new AgentError('rollout-timeout', `the pods do not run in time: ${reasons.join('; ')}`, {
    hint: 'look at manifests status and at the container logs; a second apply --wait goes on waiting',
    facts: { reasons },
  });
}
