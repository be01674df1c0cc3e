import { monotonicMs } from '../../../deadline.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { ObjectChange, Pod } from '../../../model/workload.ts';
import { createSlices } from '../../../slices.ts';
import { portName } from '../../../workload/pods/port-name.ts';
import { createNodeAnnotations, type NodeAnnotations } from './node-annotations.ts';
import type { Northbound } from './northbound-mirror.ts';
import { noticeOfRefused } from './notices.ts';
import { type Cluster, createObjectEvents } from './object-events.ts';
import type { Objects } from './objects.ts';
import { createPodNetworks, type PodNetworks } from './pod-networks.ts';
import type { WatcherReport } from './state.ts';
import { createWriter, type WriterListener } from './writer.ts';

/**
 * Keeper of the northbound rows for objects of Kubernetes. It writes while this process has the OVSDB lock, and stands
 * by while another process has it.
 */
export interface Keeper {
  /** Sets the nodes and settings of the cluster. */
  know(cluster: Cluster): void;
  /** Handles changes of objects of Kubernetes; the caller has already stored the changed objects. */
  changed(changes: readonly ObjectChange[]): void;
  /** Ends the keeper. Settles when the transaction in progress has ended. */
  close(): Promise<void>;
}

/** Creates a keeper. `known` is the present cluster; null if it is not known yet. */
export function createKeeper(
  northbound: Northbound,
  objects: Objects,
  api: KubernetesApi,
  report: WatcherReport,
  known: Cluster | null,
): Keeper {
  const { workload } = objects;
  let cluster = known;
  let networks: PodNetworks | null = null;
  let published: NodeAnnotations | null = null;
  /**
   * Number that changes whenever the keeper takes over the rows or stands by, and at its end. A takeover first reads
   * the rows, and then continues only if the number is still the same.
   */
  let latest = 0;
  const writer = createWriter(
    northbound,
    () => cluster && networks && { ...cluster, workload, addresses: networks.addresses },
    listenerOf(objects, api, report),
  );
  const settle = (changes: readonly ObjectChange[] | null): readonly ObjectChange[] =>
    cluster && networks
      ? networks.settle(changes, { ...cluster, pods: workload.pods, existing: northbound.existing })
      : [];
  const events = createObjectEvents(api, workload, () => networks?.addresses ?? new Map());
  const end = (): void => {
    for (const one of [networks, published]) one?.close();
    [networks, published] = [null, null];
    latest += 1;
  };
  /**
   * Reads all assigned addresses again from annotations and rows, because the previous owner of the lock may have
   * assigned other addresses.
   */
  const takeOver = (): void => {
    end();
    for (const concern of ['annotations', 'node-annotations'] as const) report.concern(concern, null);
    report.role(northbound.isOwner ? 'active' : 'standby');
    if (cluster === null || !northbound.isOwner) return;
    const own = latest;
    void readAhead(northbound, workload).then(() => {
      if (latest === own) begin();
    });
  };
  const begin = (): void => {
    if (cluster === null || !northbound.isOwner) return;
    const own = createPodNetworks(api, (error) => report.concern('annotations', error));
    networks = own;
    published = createNodeAnnotations(api, workload.nodes, (error) => report.concern('node-annotations', error));
    published.settle(cluster.nodes);
    settle(null);
    void events.all(cluster, () => networks === own);
    writer.all();
  };
  northbound.onOwner(takeOver);
  takeOver();
  return {
    know: (now) => {
      const before = cluster;
      cluster = now;
      if (networks === null) return takeOver();
      settle(null);
      published?.settle(now.nodes);
      events.servicesBetween(before, now);
      return writer.all();
    },
    changed: (changes) => {
      const others = settle(changes);
      if (networks === null) return;
      if (cluster !== null) events.changed(changes, cluster);
      if (cluster !== null && changes.some(({ kind }) => kind === 'Node')) published?.settle(cluster.nodes);
      writer.changed([...changes.filter(concernsRows), ...others]);
    },
    close: async () => {
      end();
      await writer.close();
      await northbound.close();
    },
  };
}

/**
 * Decodes the northbound rows of all pods, with pauses between slices. The decoded rows are cached, so the addresses of
 * pods can be assigned quickly afterwards, without a pause.
 */
async function readAhead({ existing }: Northbound, { pods }: Objects['workload']): Promise<void> {
  const breathe = createSlices(monotonicMs);
  for (const key of pods.keys()) {
    existing.named('Logical_Switch_Port', portName(key));
    await breathe();
  }
}

function listenerOf(objects: Objects, api: Pick<KubernetesApi, 'report'>, report: WatcherReport): WriterListener {
  return {
    written: report.wrote,
    refused: ({ objectKey }, error) => {
      report.concern('rows', error);
      const notice = noticeOfRefused(objectKey, error, objects);
      if (notice !== null) api.report(notice);
    },
    stuck: (error) => report.concern('rows', error),
    settled: (refused) => {
      report.refused(refused);
      if (refused.size === 0) report.concern('rows', null);
    },
  };
}

/**
 * Returns true if rows depend on the changed facts of an object. Of a Node, rows depend only on the labels. Rows do not
 * depend on the annotations of a pod, which only serve to assign its addresses. The addresses that the kubelet reports
 * for a pod count only if the pod is in the host network.
 */
function concernsRows(change: ObjectChange): boolean {
  if (change.kind === 'Node') return JSON.stringify(change.before?.labels) !== JSON.stringify(change.now?.labels);
  if (change.kind !== 'Pod' || change.before === undefined || change.now === undefined) return true;
  return JSON.stringify(withoutReports(change.before)) !== JSON.stringify(withoutReports(change.now));
}

function withoutReports(pod: Pod): Pod {
  return { ...pod, annotations: {}, podIPs: pod.isHostNetwork ? pod.podIPs : [] };
}
