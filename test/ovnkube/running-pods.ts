// Reads the state of the agent's daemonset pods from the API.
import type { TestNode } from '../node/node.ts';
import { kubectl } from './workload.ts';

const namespace = '-n openshift-ovn-kubernetes';

/** Limit for the start of a container, ten times the usual time, because the machine can be busy. */
const limitSeconds = 100;
const limit = `--timeout=${limitSeconds}s`;

/** Shell text that prints the UUID of br-ex, which changes if the bridge is created again. */
export const bridgeRow = 'ovs-vsctl get Bridge br-ex _uuid';

export interface RunningContainer {
  readonly pod: string;
  readonly node: string;
  readonly name: string;
  readonly pid: number;
  readonly restartCount: number;
  /** True if the container needs the real ovnkube. */
  readonly runsOvnkube: boolean;
  /** True if the container is restarted after br-ex was created again. */
  readonly followsBridge: boolean;
}

/**
 * Returns all containers of the agent's pods; waits until this number of nodes has started the pod of each daemonset.
 */
export async function containersOf(node: TestNode, nodes = 1): Promise<RunningContainer[]> {
  const sets = JSON.parse(await kubectl(node, `${namespace} get daemonsets -o json`)).items;
  const found: RunningContainer[] = [];
  for (const { metadata } of sets) {
    const started = `jsonpath='{.status.currentNumberScheduled}'=${nodes}`;
    await kubectl(node, `${namespace} wait daemonset/${metadata.name} --for=${started} ${limit}`);
    await kubectl(
      node,
      `${namespace} wait pod -l app=${metadata.name} --for=jsonpath='{.status.phase}'=Running ${limit}`,
    );
    const pods = JSON.parse(await kubectl(node, `${namespace} get pods -l app=${metadata.name} -o json`)).items;
    for (const { metadata: pod, spec, status } of pods) {
      for (const { name, restartCount, containerID } of status.containerStatuses ?? []) {
        const { command, livenessProbe } = spec.containers.find((each: { name: string }) => each.name === name);
        const runsOvnkube = command.join(' ').includes('ovnkube.sh');
        const followsBridge = livenessProbe?.exec.command.join(' ').includes('ovnkube-alive.sh') ?? false;
        const pid = Number(containerID.split('//')[1]);
        found.push({ pod: pod.name, node: spec.nodeName, name, restartCount, runsOvnkube, followsBridge, pid });
      }
    }
  }
  return found;
}

/** Waits until a container is ready; returns the elapsed ms. */
export function untilReady(node: TestNode, { pod, name }: RunningContainer): Promise<number> {
  return waitFor(node, pod, name, 'ready', 'true');
}

/** Waits until a container has been started once more and is ready; returns the elapsed ms. */
export async function untilReadyAgain(
  node: TestNode,
  before: RunningContainer,
  seconds: number = limitSeconds,
): Promise<number> {
  const { pod, name, restartCount } = before;
  const restartMs = await waitFor(node, pod, name, 'restartCount', String(restartCount + 1), seconds);
  return restartMs + (await untilReady(node, before));
}

async function waitFor(
  node: TestNode,
  pod: string,
  name: string,
  key: string,
  value: string,
  seconds: number = limitSeconds,
): Promise<number> {
  const path = `{.status.containerStatuses[?(@.name=="${name}")].${key}}`;
  const wait = `wait pod/${pod} --for=jsonpath='${path}'=${value} --timeout=${seconds}s`;
  const started = performance.now();
  await kubectl(node, `${namespace} ${wait}`, undefined, (seconds + 30) * 1000);
  return performance.now() - started;
}
