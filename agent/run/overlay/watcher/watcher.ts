import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import { asAgentError } from '../../../errors.ts';
import type { WatcherState } from '../../../model/overlay-daemon.ts';
import { nodesOutside } from '../../../workload/cluster-nodes.ts';
import { podsOfPorts } from '../../../workload/pods/port-hosts.ts';
import type { DaemonOutput } from '../loop/daemon-report.ts';
import { retryAfterMs } from '../loop/pace.ts';
import { kinds } from './followed-kinds.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { openNorthbound } from './northbound-mirror.ts';
import type { Cluster } from './object-events.ts';
import { followObjects, type Objects } from './objects.ts';
import { createReport } from './state.ts';

/** Watcher of Kubernetes objects. It maintains their rows in OVN_Northbound while it has the OVSDB lock. */
export interface Watcher {
  /** Sets the nodes and settings of the cluster, as last planned. Nothing is written before the first call. */
  know(cluster: Cluster): void;
  /** Returns the number of known objects by namespace; during the first list, the number of those that have arrived. */
  namespaces(): ReadonlyMap<string, number>;
  /** Ends the watcher. Settles when the transaction in progress has ended. */
  close(): Promise<void>;
}

/**
 * Connections and outputs of a watcher. `remote` is the remote of OVN_Northbound. `note` is called with the watcher's
 * state after it has changed, at most once a second.
 */
export interface WatcherPlaces {
  readonly api: KubernetesApi;
  readonly remote: string;
  readonly teller: DaemonOutput;
  readonly note: (state: WatcherState) => void;
}

/**
 * Starts a watcher, which runs until `close` is called. It continues after failures of the API server and of the
 * northbound database.
 */
export function startWatcher({ api, remote, teller: output, note }: WatcherPlaces): Watcher {
  const stop = new AbortController();
  const report = createReport(output, note);
  let cluster: Cluster | null = null;
  let keeper: Keeper | null = null;
  let failures = 0;
  let portCount = 0;
  let timer: NodeJS.Timeout | undefined;

  const count = (): void => {
    if (!objects.isWhole) return;
    report.objects(countsOf(objects, portCount));
    if (cluster !== null) report.nodesOutside(nodesOutside(cluster.nodes, objects.workload.nodes.keys()));
  };
  const open = async (): Promise<void> => {
    try {
      const northbound = await openNorthbound(remote, (error) => report.concern('database', error), stop.signal);
      if (stop.signal.aborted) await northbound.close();
      else keeper = createKeeper(northbound, objects, api, report, cluster);
    } catch (error) {
      if (stop.signal.aborted) return;
      report.concern('database', asAgentError(error));
      failures += 1;
      timer = setTimeout(() => void open(), retryAfterMs(failures));
    }
  };
  const objects: Objects = followObjects(api, {
    whole: () => {
      count();
      void open();
    },
    changed: (changes) => {
      count();
      keeper?.changed(changes);
    },
    allowed: () => {
      if (cluster !== null) keeper?.know(cluster);
    },
    // A missing kubeconfig is not a failure, because the overlay may run without Kubernetes, or Kubernetes may be
    // installed later.
    heard: (error) => report.concern('api', error?.kind === 'kubeconfig-missing' ? null : error),
  });
  return {
    namespaces: () => objects.namespaces(),
    know: (now) => {
      if (JSON.stringify(cluster) === JSON.stringify(now)) return;
      cluster = now;
      const ports = podsOfPorts(now.nodes);
      portCount = ports.size;
      objects.hold(ports);
      count();
      keeper?.know(now);
    },
    close: async () => {
      stop.abort();
      clearTimeout(timer);
      objects.close();
      await keeper?.close();
      report.close();
    },
  };
}

/**
 * Returns the number of objects of each kind. `ports` is the number of overlay ports; they are in the collection of
 * pods, but do not count as pods.
 */
function countsOf({ workload }: Objects, ports: number): Readonly<Record<string, number>> {
  return Object.fromEntries(kinds.map(({ kind, of }) => [kind, workload[of].size - (kind === 'Pod' ? ports : 0)]));
}
