// Runs a pod of a daemonset: its object in the API, its volumes, its containers, and its reported status.
import { mkdirSync, rmSync } from 'node:fs';
import { type Container, type ContainerState, startContainer } from './container.ts';
import type { Api, Json } from './kubelet-requests.ts';
import { environmentOf } from './values.ts';
import { makeVolumes } from './volumes.ts';

export interface Pod {
  readonly object: Json;
  stop(): Promise<void>;
}

interface PodParts {
  readonly api: Api;
  readonly daemonSet: Json;
  readonly name: string;
  readonly node: Json;
  /** Function that is called after each change of the pod's status. */
  readonly changed: () => void;
}

/**
 * Runs a daemonset's pod on this node. If the API already has the pod, because the node was off, it continues as the
 * same pod.
 */
export async function startPod({ api, daemonSet, name, node, changed }: PodParts): Promise<Pod> {
  const { namespace, uid } = daemonSet.metadata;
  const { template } = daemonSet.spec;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: daemonSet.metadata.name, uid, controller: true };
  const metadata = { ...template.metadata, name, ownerReferences: [owner] };
  const spec = { ...template.spec, nodeName: node.metadata.name };
  const made = await api.call('POST', pods, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  const object = made.status === 409 ? await api.must('GET', `${pods}/${name}`) : made.body;
  if (made.status >= 300 && made.status !== 409) throw new Error(`pod ${name}: ${made.body.message}`);
  if (object.spec.initContainers !== undefined) throw new Error(`pod ${name}: init containers are not known`);
  const hostIP = node.status.addresses.find((address: Json) => address.type === 'InternalIP').address;
  object.status = { ...object.status, hostIP, podIP: hostIP };

  const folder = `/var/lib/kubelet/pods/${object.metadata.uid}`;
  const layers = `/run/kubelet/${object.metadata.uid}`;
  mkdirSync('/var/log/kubelet', { recursive: true });
  const places = await makeVolumes(api, object, folder);
  const containers: Container[] = [];
  const states = (): ContainerState[] => containers.map((each) => each.state());

  let reported = Promise.resolve();
  const report = (): void => {
    const ready = states().every((each) => each.ready);
    const containerStatuses = states().map((each) => ({
      name: each.name,
      image: 'none',
      imageID: '',
      ready: each.ready,
      started: each.pid !== null,
      restartCount: each.restartCount,
      containerID: `process://${each.pid ?? 0}`,
      state: each.pid === null ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: {} },
    }));
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    const status = { phase: 'Running', hostIP, podIP: hostIP, podIPs: [{ ip: hostIP }], conditions, containerStatuses };
    const path = `${pods}/${name}/status`;
    reported = reported
      .then(() => api.call('PATCH', path, { status }, 'application/merge-patch+json'))
      .then(changed, changed);
  };
  for (const container of object.spec.containers) {
    const environment = await environmentOf(api, object, container);
    const before = object.status.containerStatuses?.find(({ name: of }: Json) => of === container.name);
    const earlierStarts = before === undefined ? 0 : before.restartCount + 1;
    containers.push(
      startContainer({ spec: container, earlierStarts, folder: layers, places, environment, changed: report }),
    );
  }
  report();
  return {
    object,
    stop: async () => {
      await Promise.all(containers.map((each) => each.stop(object.spec.terminationGracePeriodSeconds ?? 30)));
      await reported;
      await api.call('DELETE', `${pods}/${name}?gracePeriodSeconds=0`);
      rmSync(folder, { recursive: true, force: true });
      rmSync(layers, { recursive: true, force: true });
    },
  };
}
