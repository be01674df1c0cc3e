import { explained, fieldAt, type KubernetesObject, listAt } from '../model/kubernetes/object.ts';
import type { ContainerState, DaemonSetState } from '../model/manifests.ts';

/**
 * Returns the state of a daemonset. All arguments come from the API: the daemonset, pods and events of its namespace.
 */
export function daemonSetState(
  daemonSet: KubernetesObject,
  pods: readonly KubernetesObject[],
  events: readonly KubernetesObject[],
): DaemonSetState {
  const own = pods.filter((pod) => pod.metadata.labels?.app === daemonSet.metadata.name);
  const names = listAt(daemonSet, 'spec', 'template', 'spec', 'containers').map((one) => String(fieldAt(one, 'name')));
  return {
    name: daemonSet.metadata.name,
    desired: statusNumber(daemonSet, 'desiredNumberScheduled'),
    updated: statusNumber(daemonSet, 'updatedNumberScheduled'),
    ready: statusNumber(daemonSet, 'numberReady'),
    rolledOut: isRolledOut(daemonSet),
    containers: names.map((name) => containerState(name, own, events)),
  };
}

/**
 * Returns true if the daemonset controller has processed this version of the daemonset, as many pods as desired are of
 * this version, and as many as desired are available.
 */
export function isRolledOut(daemonSet: KubernetesObject): boolean {
  const desired = statusNumber(daemonSet, 'desiredNumberScheduled');
  const seen = statusNumber(daemonSet, 'observedGeneration');
  return (
    seen > 0 &&
    seen >= Number(daemonSet.metadata.generation ?? 0) &&
    statusNumber(daemonSet, 'updatedNumberScheduled') >= desired &&
    statusNumber(daemonSet, 'numberAvailable') >= desired
  );
}

function containerState(
  name: string,
  pods: readonly KubernetesObject[],
  events: readonly KubernetesObject[],
): ContainerState {
  const states = pods.map((pod) => ({
    pod,
    status: listAt(pod, 'status', 'containerStatuses').find((one) => fieldAt(one, 'name') === name),
  }));
  const waiting = states.find(({ status }) => fieldAt(status, 'ready') !== true);
  return {
    name,
    ready: states.filter(({ status }) => fieldAt(status, 'ready') === true).length,
    restarts: states.reduce((sum, { status }) => sum + Number(fieldAt(status, 'restartCount') ?? 0), 0),
    notReady: pods.length === 0 ? 'no pod yet' : waiting === undefined ? null : reasonOf(waiting.pod, waiting.status),
    lastEvent: lastEvent(name, waiting === undefined ? pods : [waiting.pod], events),
  };
}

/**
 * Returns the reason why a container is not ready: the kubelet's reason if the container waits or has ended, the
 * failure of its readiness probe if it is running, and otherwise the first false condition of its pod, such as
 * PodScheduled.
 */
function reasonOf(pod: KubernetesObject, status: unknown): string {
  for (const state of ['waiting', 'terminated']) {
    const found = fieldAt(status, 'state', state);
    if (found !== undefined) return explained(found);
  }
  if (status !== undefined) return 'running, its readiness probe does not succeed';
  const condition = listAt(pod, 'status', 'conditions').find((one) => fieldAt(one, 'status') === 'False');
  return condition === undefined ? 'not started yet' : explained(condition);
}

function lastEvent(
  container: string,
  pods: readonly KubernetesObject[],
  events: readonly KubernetesObject[],
): string | null {
  const names = new Set(pods.map((pod) => pod.metadata.name));
  const own = events.filter((event) => {
    const path = String(fieldAt(event, 'involvedObject', 'fieldPath') ?? '');
    const isOfPod = names.has(String(fieldAt(event, 'involvedObject', 'name')));
    return isOfPod && (path === '' || path === `spec.containers{${container}}`);
  });
  const newest = own.toSorted((a, b) => Number(timeOf(a) > timeOf(b)) - Number(timeOf(a) < timeOf(b))).at(-1);
  return newest === undefined ? null : `${timeOf(newest)} ${explained(newest)}`;
}

function timeOf(event: KubernetesObject): string {
  const { lastTimestamp, eventTime, firstTimestamp, metadata } = event;
  return String(lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? '');
}

function statusNumber(object: KubernetesObject, field: string): number {
  return Number(fieldAt(object, 'status', field) ?? 0);
}
