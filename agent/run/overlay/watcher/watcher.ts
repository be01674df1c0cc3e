import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { asAgentError } from '../../../errors.ts';
import type { OverlayLayout, OverlayNode } from '../../../model/overlay.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import type { ObjectChange, Pod } from '../../../model/workload.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import type { Teller } from '../daemon/report.ts';
import { retryAfterMs } from '../daemon/work.ts';
import { kinds } from './kinds.ts';
import { type Northbound, openNorthbound } from './northbound.ts';
import { noticeOfRefused, noticesOfService } from './notices.ts';
import { followObjects, type Objects } from './objects.ts';
import { createPodNetworks, type PodNetworks } from './pod-networks.ts';
import { createReport } from './state.ts';
import { createWriter, type Writer, type WriterListener } from './writer.ts';

/** Keeps the rows of OVN_Northbound for objects of Kubernetes, where no other does. */
export interface Watcher {
  /** The cluster as it was planned last. Nothing is written before the first time. */
  know(layout: OverlayLayout, nodes: readonly OverlayNode[]): void;
  /** Settles when what was being written is. */
  close(): Promise<void>;
}

/** Of what and to whom a watcher works; `remote` is OVN_Northbound's server, `note` is given its state when that changes. */
export interface WatcherPlaces {
  readonly api: KubernetesApi;
  readonly remote: string;
  readonly teller: Teller;
  readonly note: (state: WatcherState) => void;
}

/** The cluster's nodes. */
type Cluster = Pick<WorkloadFacts, 'layout' | 'nodes'>;

/** Starts to follow the objects, and goes on until it is closed, whatever is away meanwhile. */
export function startWatcher({ api, remote, teller, note }: WatcherPlaces): Watcher {
  const stop = new AbortController();
  const report = createReport(teller, note);
  let cluster: Cluster | null = null;
  let northbound: Northbound | null = null;
  let writer: Writer | null = null;
  let networks: PodNetworks | null = null;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;

  const facts = (): WorkloadFacts | null => {
    if (cluster === null || networks === null) return null;
    return { ...cluster, workload: objects.workload, addresses: networks.addresses };
  };
  const settle = (changes: readonly ObjectChange[] | null): readonly ObjectChange[] => {
    if (cluster === null || networks === null || northbound === null) return [];
    return networks.settle(changes, { ...cluster, pods: objects.workload.pods, existing: northbound.existing });
  };
  const takeOver = (): void => {
    networks?.close();
    networks = null;
    if (cluster === null || northbound?.isOwner !== true) return;
    networks = createPodNetworks(api, (error) => report.concern('annotations', error));
    settle(null);
    for (const service of objects.workload.services.values()) noticesOfService(service).forEach(api.tell);
    writer?.all();
  };
  const listener: WriterListener = {
    written: report.wrote,
    refused: ({ unit }, error) => {
      report.concern('rows', error);
      const notice = noticeOfRefused(unit, error, objects);
      if (notice !== null) api.tell(notice);
    },
    stuck: (error) => report.concern('rows', error),
    settled: (refused) => {
      report.refused(refused);
      if (refused.size === 0) report.concern('rows', null);
    },
  };
  const open = async (): Promise<void> => {
    try {
      const opened = await openNorthbound(remote, (error) => report.concern('database', error), stop.signal);
      if (stop.signal.aborted) return await opened.close();
      northbound = opened;
      writer = createWriter(opened, facts, listener);
      const tell = (isOwner: boolean): void => {
        report.role(isOwner ? 'active' : 'standby');
        takeOver();
      };
      opened.onOwner(tell);
      tell(opened.isOwner);
    } catch (error) {
      if (stop.signal.aborted) return;
      report.concern('database', asAgentError(error));
      failures += 1;
      timer = setTimeout(() => void open(), retryAfterMs(failures));
    }
  };
  const objects: Objects = followObjects(api, {
    whole: () => {
      report.objects(countsOf(objects));
      void open();
    },
    changed: (changes) => {
      report.objects(countsOf(objects));
      const others = settle(changes);
      if (networks === null) return;
      for (const { kind, now } of changes)
        if (kind === 'Service' && now !== undefined) noticesOfService(now).forEach(api.tell);
      writer?.changed([...changes.filter(concernsRows), ...others]);
    },
    heard: (error) => report.concern('api', error),
  });
  return {
    know: (layout, nodes) => {
      if (JSON.stringify(cluster) === JSON.stringify({ layout, nodes })) return;
      const isFirst = cluster === null;
      cluster = { layout, nodes };
      if (isFirst || networks === null) return takeOver();
      settle(null);
      return writer?.all();
    },
    close: async () => {
      stop.abort();
      clearTimeout(timer);
      objects.close();
      networks?.close();
      await writer?.close();
      await northbound?.close();
      report.close();
    },
  };
}

/** Annotations say which address a pod has, or shall have; with that settled no row depends on them, nor on what the kubelet reports of it. */
function concernsRows(change: ObjectChange): boolean {
  if (change.kind !== 'Pod' || change.before === undefined || change.now === undefined) return true;
  return JSON.stringify(withoutReports(change.before)) !== JSON.stringify(withoutReports(change.now));
}

function withoutReports(pod: Pod): Pod {
  return { ...pod, annotations: {}, podIPs: pod.isHostNetwork ? pod.podIPs : [] };
}

function countsOf({ workload }: Objects): Readonly<Record<string, number>> {
  return Object.fromEntries(kinds.map(({ kind, of }) => [kind, workload[of].size]));
}
