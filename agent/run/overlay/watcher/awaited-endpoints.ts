import type { ObjectChange } from '../../../model/workload.ts';
import type { RowIndex } from '../../../overlay/rows/row-index.ts';
import type { WorkloadFacts } from '../../../workload/part.ts';
import { indexedSlices } from '../../../workload/services/indexed-slices.ts';
import { services } from '../../../workload/services/plan-services.ts';

/**
 * Longest time, in ms, for which the rows of a new service wait for its first EndpointSlice. By default, kube-proxy
 * updates its rules at most once in this time (KubeProxyConfiguration, iptables.minSyncPeriod). Kubernetes creates an
 * EndpointSlice for every service with a selector, even without endpoints (k8s.io/endpointslice, reconciler.go), so
 * normally only a service without a selector waits this long. Meanwhile, a client of the service is treated as at an
 * unused address in the range of services.
 */
export const longestWaitMs = 1_000;

/**
 * Returns true for a change of a service that has neither rows nor an EndpointSlice. Its rows would be written again as
 * soon as its first EndpointSlice arrives.
 */
export function awaitsEndpoints(
  change: ObjectChange,
  { workload }: WorkloadFacts,
  existing: Pick<RowIndex, 'ofObject'>,
): boolean {
  if (change.kind !== 'Service' || change.now === undefined || change.now.clusterIPs.length === 0) return false;
  const key = `${change.now.namespace}/${change.now.name}`;
  if (indexedSlices(workload.slices).ofService(key) !== null) return false;
  return existing.ofObject(`${services.kind}:${key}`).length === 0;
}
