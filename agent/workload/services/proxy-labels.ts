import type { Labels } from '../../model/workload.ts';

/**
 * Labels that leave a Service to another proxy, or mark a headless Service that has an address (Kubernetes, well-known
 * labels).
 */
const otherProxyLabels = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless'];

/**
 * Returns true if the labels leave a Service or an EndpointSlice to another proxy, or mark it as headless. kube-proxy
 * selects the objects without these labels (cmd/kube-proxy/app/server.go).
 */
export function isForOtherProxy(labels: Labels = {}): boolean {
  return otherProxyLabels.some((label) => labels[label] !== undefined);
}
