import { existsSync } from 'node:fs';
import type { Cluster } from '../../../drivers/kubernetes/cluster-port.ts';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import { openCluster } from '../../../drivers/kubernetes/open-cluster.ts';
import { AgentError, isAgentError } from '../../../errors.ts';
import { fieldAt, type KubernetesObject, type ObjectReference } from '../../../model/kubernetes/object.ts';
import { type Isolation, isolationName, type ReachMatrix } from '../../../model/namespace-isolation.ts';
import { isolationPolicy } from '../../../workload/isolation/isolation-policy.ts';
import { reachMatrix } from '../../../workload/isolation/reach-matrix.ts';
import { listWorkload, presentAddresses } from '../drift/workload-drift.ts';
import { withPlan } from '../node/planned-node.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { requireCentral } from '../record/record.ts';

/** Time for which a request to the API server is repeated while the server starts. */
const limitMs = 30_000;

const reference: ObjectReference = {
  apiVersion: 'policy.networking.k8s.io/v1alpha2',
  kind: 'ClusterNetworkPolicy',
  namespace: null,
  name: isolationName,
};

/**
 * Creates or changes the policy that separates namespaces. Returns false if the cluster had it already, in which case
 * nothing changes. Runs on the central node, whose daemon then writes the northbound rows of the policy. Fails with
 * `cluster-refused` if the credentials do not suffice, or if the API server has no ClusterNetworkPolicy.
 */
export async function enableIsolation(
  isolation: Isolation,
  kubeconfig: string | null,
  places: Pick<OverlayPlaces, 'record'>,
  say: (message: string) => void,
): Promise<boolean> {
  requireCentral(places.record);
  return withCluster(kubeconfig, say, async ({ get, apply }) => {
    const before = await get(reference);
    const options = { dryRun: false, force: true };
    return versionOf(before) !== versionOf(await apply(isolationPolicy(isolation), options));
  });
}

/** Removes the policy that separates namespaces. Returns false if the cluster did not have it. */
export async function disableIsolation(
  kubeconfig: string | null,
  places: Pick<OverlayPlaces, 'record'>,
  say: (message: string) => void,
): Promise<boolean> {
  requireCentral(places.record);
  return withCluster(kubeconfig, say, async ({ get, remove }) => {
    if ((await get(reference)) === null) return false;
    await remove(reference);
    return true;
  });
}

/** Returns the connections that the present policies allow between namespaces. Runs on the central node. */
export async function readReach(kubeconfig: string | null, places: OverlayPlaces): Promise<ReachMatrix> {
  const central = requireCentral(places.record);
  refuseWithoutFile(kubeconfig);
  return withPlan(central, places, async ({ members, record: { layout, node } }) => {
    const workload = await listWorkload(kubeconfig, node.name, members);
    const cluster = { layout, nodes: members, exposure: places.exposure };
    return reachMatrix({ ...cluster, workload, addresses: presentAddresses(workload, members) });
  });
}

async function withCluster<T>(
  kubeconfig: string | null,
  say: (message: string) => void,
  task: (cluster: Pick<Cluster, 'get' | 'apply' | 'remove'>) => Promise<T>,
): Promise<T> {
  refuseWithoutFile(kubeconfig);
  const budget = {
    limitMs,
    end: performance.now() + limitMs,
    note: (reason: string) => say(`waiting: ${reason}`),
    warn: (message: string) => say(`warning: ${message}`),
    signal: new AbortController().signal,
  };
  const cluster = await openCluster(kubeconfig, budget, true);
  try {
    return await task(cluster);
  } catch (error) {
    throw isAgentError(error) && error.facts.httpStatus === 404 ? withoutDefinition() : error;
  } finally {
    cluster.close();
  }
}

function refuseWithoutFile(kubeconfig: string | null): void {
  const path = kubeconfigPath(kubeconfig, process.env);
  if (existsSync(path)) return;
  throw new AgentError('kubeconfig-missing', `there is no kubeconfig at ${path}`, {
    hint: 'name the kubeconfig of an administrator with --kubeconfig',
  });
}

function withoutDefinition(): AgentError {
  return new AgentError(
    'cluster-refused',
    'the API server has no ClusterNetworkPolicy (policy.networking.k8s.io/v1alpha2)',
    {
      hint: 'install its definition with kubectl, as docs/use/cluster-policies.md says',
    },
  );
}

function versionOf(object: KubernetesObject | null): string | null {
  return object === null ? null : String(fieldAt(object, 'metadata', 'resourceVersion'));
}
