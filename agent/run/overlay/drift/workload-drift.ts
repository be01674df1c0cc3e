import { existsSync } from 'node:fs';
import { kubeconfigPath } from '../../../drivers/kubernetes/kubeconfig.ts';
import { openApi } from '../../../drivers/kubernetes/open-api.ts';
import { AgentError, messageOf } from '../../../errors.ts';
import type { Config } from '../../../model/config.ts';
import type { OverlayNode, OverlayPlan } from '../../../model/overlay.ts';
import type { DatabaseRows } from '../../../model/rows.ts';
import type { PodAddresses, Workload } from '../../../model/workload.ts';
import { reservedPorts } from '../../../overlay/overlay-names.ts';
import { workloadTables } from '../../../overlay/rows/overlay-tables.ts';
import { indexRows } from '../../../overlay/rows/row-index.ts';
import { allObjectKeys, planWorkload } from '../../../workload/plan-workload.ts';
import { createAddressBook } from '../../../workload/pods/address-book.ts';
import { addressesOfPorts, podsOfPorts, withoutPorts } from '../../../workload/pods/port-hosts.ts';
import type { PlannedNode } from '../node/planned-node.ts';
import { readRows } from '../ovn/database-rows.ts';
import type { Cluster } from '../watcher/object-events.ts';
import { followObjects, type Objects } from '../watcher/objects.ts';
import { addressesOfRow } from '../watcher/pod-networks.ts';

/**
 * Time limit for the API server to list all objects. Some thousand objects take a second or two; 60 s allow for a
 * machine that swaps.
 */
const listedMs = 60_000;

/**
 * Result of a comparison of rows with objects of Kubernetes. `workload` is null if this node has no northbound database
 * or no kubeconfig, or if the comparison failed; after a failure, `unknown` contains the reason as a sentence.
 */
export interface WorkloadDrift {
  readonly workload: OverlayPlan | null;
  readonly unknown: readonly string[];
}

/**
 * Plans the changes of northbound rows that the present objects of Kubernetes require, as the daemon would make them.
 * Changes nothing.
 */
export async function workloadDrift(
  { overlay }: Pick<Config, 'overlay'>,
  { record, databases, members, places }: PlannedNode,
): Promise<WorkloadDrift> {
  const northbound = databases.find(({ database }) => database.name === 'OVN_Northbound')?.database;
  const kubeconfig = overlay.kubeconfig.value;
  if (northbound === undefined || !existsSync(kubeconfigPath(kubeconfig, process.env)))
    return { workload: null, unknown: [] };
  try {
    const workload = await listWorkload(kubeconfig, record.node.name, members);
    const plan = planAll(
      workload,
      { layout: record.layout, nodes: members, exposure: places.exposure, peers: record.peers ?? [] },
      await readRows(northbound, workloadTables),
    );
    return { workload: plan, unknown: [] };
  } catch (error) {
    return { workload: null, unknown: [`rows for pods and services are not compared: ${messageOf(error)}`] };
  }
}

function planAll(workload: Workload, cluster: Cluster, rows: DatabaseRows): OverlayPlan {
  const existing = indexRows(rows);
  const book = createAddressBook();
  const pods = withoutPorts(workload.pods);
  const ofRow = (key: string, uid: string): readonly string[] => addressesOfRow(existing, key, uid);
  book.settle({
    nodes: cluster.nodes,
    pods,
    gone: [],
    fixedRanges: cluster.exposure.fixedRanges,
    ports: addressesOfPorts(cluster.nodes),
    reserved: reservedPorts(cluster.layout, cluster.nodes),
    addressesOfRow: ofRow,
  });
  const facts = { ...cluster, workload, addresses: book.addresses };
  return planWorkload(facts, existing, rows.shape, allObjectKeys(facts, existing));
}

/**
 * Lists all objects on which the network depends. Fails if the API server refuses a list, or does not answer within a
 * minute.
 */
export async function listWorkload(
  kubeconfig: string | null,
  nodeName: string,
  members: readonly OverlayNode[],
): Promise<Workload> {
  const api = openApi({ kubeconfig, nodeName, say: () => undefined });
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const objects: Objects = followObjects(api, {
        whole: () => resolve(objects.workload),
        changed: () => undefined,
        allowed: () => undefined,
        heard: (error) => error !== null && reject(error),
      });
      objects.hold(podsOfPorts(members));
      timer = setTimeout(() => reject(late()), listedMs);
    });
  } finally {
    clearTimeout(timer);
    api.close();
  }
}

/** Returns the addresses of pods as the API server reports them, and the addresses of the overlay ports of members. */
export function presentAddresses({ pods }: Workload, members: readonly OverlayNode[]): PodAddresses {
  const served = [...pods].filter(([, { isHostNetwork, isOver }]) => !isHostNetwork && !isOver);
  const ofPorts = [...addressesOfPorts(members)].map(([key, { addresses }]) => [key, addresses] as const);
  return new Map([...served.map(([key, { podIPs }]) => [key, podIPs] as const), ...ofPorts]);
}

function late(): AgentError {
  return new AgentError('cluster-not-ready', `the API server has not listed its objects within ${listedMs / 1000} s`, {
    hint: 'look at journalctl -u microshift for what keeps it',
  });
}
