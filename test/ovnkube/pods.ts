// The pods of our daemonsets, as the API has them.
import type { TestNode } from '../node/node.ts';
import { kubectl } from './workload.ts';

const namespace = '-n openshift-ovn-kubernetes';

/** Ten times what a container takes, for a machine that is busy. */
const limit = '--timeout=100s';

export interface RunningContainer {
  readonly pod: string;
  readonly name: string;
  readonly pid: number;
  readonly restartCount: number;
  /** Whether it is one of those that need the real ovnkube. */
  readonly runsOvnkube: boolean;
}

/** All containers of our pods; waits until the pod of each daemonset is there. */
export async function containersOf(node: TestNode): Promise<RunningContainer[]> {
  const sets = JSON.parse(await kubectl(node, `${namespace} get daemonsets -o json`)).items;
  const found: RunningContainer[] = [];
  for (const { metadata } of sets) {
    await kubectl(node, `${namespace} wait pod -l app=${metadata.name} --for=create ${limit}`);
    const pods = JSON.parse(await kubectl(node, `${namespace} get pods -l app=${metadata.name} -o json`)).items;
    for (const { metadata: pod, spec, status } of pods) {
      for (const { name, restartCount, containerID } of status.containerStatuses ?? []) {
        const { command } = spec.containers.find((each: { name: string }) => each.name === name);
        const runsOvnkube = command.join(' ').includes('ovnkube.sh');
        found.push({ pod: pod.name, name, restartCount, runsOvnkube, pid: Number(containerID.split('//')[1]) });
      }
    }
  }
  return found;
}

/** Waits until a container is ready; gives the ms that took. */
export function untilReady(node: TestNode, { pod, name }: RunningContainer): Promise<number> {
  return waitFor(node, pod, name, 'ready', 'true');
}

/** Waits until a container has been started once more than it had been, and is ready. */
export async function untilReadyAgain(node: TestNode, before: RunningContainer): Promise<number> {
  const { pod, name, restartCount } = before;
  return (await waitFor(node, pod, name, 'restartCount', String(restartCount + 1))) + (await untilReady(node, before));
}

async function waitFor(node: TestNode, pod: string, name: string, key: string, value: string): Promise<number> {
  const path = `{.status.containerStatuses[?(@.name=="${name}")].${key}}`;
  const started = performance.now();
  await kubectl(node, `${namespace} wait pod/${pod} --for=jsonpath='${path}'=${value} ${limit}`);
  return performance.now() - started;
}
