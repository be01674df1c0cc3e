import { monotonicMs } from '../../../deadline.ts';
import type { KubernetesApi } from '../../../drivers/kubernetes/api.ts';
import type { NamespacedName, ObjectChange, Pod, PodAddresses, Service, Workload } from '../../../model/workload.ts';
import { createSlices } from '../../../slices.ts';
import { clusterSets } from '../../../workload/cluster-policies/peer-sets.ts';
import { isDividedTooOften } from '../../../workload/cluster-policies/traffic.ts';
import { serviceOf } from '../../../workload/services/indexed-slices.ts';
import type { OutsideFacts } from '../../../workload/services/outside.ts';
import { type Kind, kinds, type Projected } from './followed-kinds.ts';
import {
  noticeOfBudget,
  noticeOfDivided,
  noticeOfEndpoints,
  noticesOfAsks,
  noticesOfDisplaced,
  noticesOfHostPorts,
  noticesOfService,
  viewOf,
} from './notices.ts';

/** Nodes of the cluster and their common settings. */
export type Cluster = Omit<OutsideFacts, 'workload'>;

/** Reporter of Events for objects that the overlay does not serve, or serves only in part. */
export interface ObjectEvents {
  /** Reports on all objects, with pauses for other work. Stops early if `isWanted` returns false. */
  all(cluster: Cluster, isWanted: () => boolean): Promise<void>;
  /** Reports on the objects that have changed. */
  changed(changes: readonly ObjectChange[], cluster: Cluster): void;
  /**
   * Reports the services that the present cluster serves less completely than the previous one. `before` is null for
   * the first cluster.
   */
  servicesBetween(before: Cluster | null, now: Cluster): void;
}

/** Creates the reporter. `addresses` returns the present addresses of the pods. */
export function createObjectEvents(
  { report }: Pick<KubernetesApi, 'report'>,
  workload: Workload,
  addresses: () => PodAddresses,
): ObjectEvents {
  const ofDivided = (cluster: Cluster): void => {
    const facts = { ...cluster, workload, addresses: addresses() };
    const sets = clusterSets(facts);
    for (const policy of workload.clusterPolicies.values())
      if (isDividedTooOften(policy, facts, sets)) report(noticeOfDivided(policy));
  };
  const ofBudget = (kind: Kind, object: Projected): void => {
    const notice = noticeOfBudget(kind, object);
    if (notice !== null) report(notice);
  };
  const ofServices = (services: Iterable<Service>, cluster: Cluster, before: Cluster | null = null): void => {
    const [now, then] = [viewOf({ ...cluster, workload }), before && viewOf({ ...before, workload })];
    for (const service of services) noticesOfService(service, now, then).forEach(report);
  };
  const ofDisplaced = (changes: readonly ObjectChange[], services: readonly Service[], cluster: Cluster): void => {
    const view = viewOf({ ...cluster, workload });
    for (const { kind, before, now } of changes)
      if (kind === 'Service' && now !== undefined) noticesOfDisplaced(now, before, view, services).forEach(report);
  };
  const ofEndpoints = (services: Iterable<NamespacedName>, cluster: Cluster): void => {
    const view = viewOf({ ...cluster, workload });
    for (const key of services) {
      const service = workload.services.get(key);
      const notice = service === undefined ? null : noticeOfEndpoints(service, view);
      if (notice !== null) report(notice);
    }
  };
  return {
    all: async (cluster, isWanted) => {
      const breathe = createSlices(monotonicMs);
      for (const kind of kinds)
        for (const object of workload[kind.of].values()) {
          if (!isWanted()) return;
          ofBudget(kind, object);
          noticesOfAsks(kind, object).forEach(report);
          if (kind.kind === 'Service') ofServices([object as Service], cluster);
          if (kind.kind === 'Pod') noticesOfHostPorts(object as Pod).forEach(report);
          await breathe();
        }
      ofDivided(cluster);
    },
    changed: (changes, cluster) => {
      const services = changes.flatMap(({ kind, now }) => (kind === 'Service' && now !== undefined ? [now] : []));
      if (services.length > 0) {
        ofServices(services, cluster);
        ofDisplaced(changes, services, cluster);
      }
      const slices = changes.flatMap(({ kind, now }) => (kind === 'EndpointSlice' ? (serviceOf(now) ?? []) : []));
      if (slices.length > 0) ofEndpoints(new Set(slices), cluster);
      if (changes.some(({ kind }) => kind === 'ClusterNetworkPolicy')) ofDivided(cluster);
      for (const pod of changes.flatMap(newPod)) noticesOfHostPorts(pod).forEach(report);
      for (const { kind, before, now } of changes) {
        const found = kinds.find((one) => one.kind === kind);
        if (found === undefined || now === undefined) continue;
        ofBudget(found, now);
        noticesOfAsks(found, now, before).forEach(report);
      }
    },
    servicesBetween: (before, now) => {
      if (workload.services.size > 0) ofServices(workload.services.values(), now, before);
    },
  };
}

/**
 * Returns a list with the pod if the change has created it; otherwise an empty list. A pod that replaces another one of
 * the same name is also a new pod.
 */
function newPod({ kind, before, now }: ObjectChange): readonly Pod[] {
  return kind === 'Pod' && now !== undefined && before?.uid !== now.uid ? [now] : [];
}
