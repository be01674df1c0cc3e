import type { Labels, Protocol, Service, ServicePort } from '../../model/workload.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';
import { disjointRanges } from '../../net/address-range.ts';
import { budgets, overBudget } from '../budget.ts';
import { isForOtherProxy } from './proxy-labels.ts';

/**
 * Fields of a Service (v1) that are read; fields with defaults may be absent in objects that an older API server has
 * stored.
 */
interface ServiceObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly creationTimestamp?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: {
    readonly type?: Service['type'];
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly ports?: readonly {
      readonly name?: string;
      readonly protocol?: Protocol;
      readonly port?: number;
      readonly nodePort?: number;
    }[];
    readonly externalTrafficPolicy?: Service['externalTrafficPolicy'];
    readonly internalTrafficPolicy?: Service['internalTrafficPolicy'];
    readonly trafficDistribution?: string;
    readonly sessionAffinity?: 'None' | 'ClientIP';
    readonly sessionAffinityConfig?: { readonly clientIP?: { readonly timeoutSeconds?: number } };
    readonly publishNotReadyAddresses?: boolean;
    readonly loadBalancerSourceRanges?: readonly string[];
    readonly healthCheckNodePort?: number;
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string; readonly ipMode?: string }[] };
  };
}

/** Default duration of session affinity, three hours (Kubernetes API, ClientIPConfig). */
export const defaultAffinitySeconds = 10_800;

/**
 * Returns the fields of a Service on which the network depends. A Service for another proxy, or beyond its budget, has
 * no cluster IPs in the result, so that no part of it is served. Never throws.
 */
export function readService(object: unknown): Service {
  const { metadata = {}, spec = {}, status = {} } = object as ServiceObject;
  const isOurs = !isForOtherProxy(metadata.labels);
  const timeoutSeconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? defaultAffinitySeconds;
  const ranges = spec.loadBalancerSourceRanges ?? [];
  const sourceRanges = ranges.length > budgets.Service.clients ? [] : sourceRangesOf(ranges);
  const preference = preferenceOf(spec.trafficDistribution, metadata.annotations ?? {});
  const service: Service = {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    annotations: networkOnly(metadata.annotations ?? {}),
    ...(metadata.creationTimestamp !== undefined && { createdAt: metadata.creationTimestamp }),
    type: spec.type ?? 'ClusterIP',
    clusterIPs: isOurs ? addressesIn(spec.clusterIPs ?? [spec.clusterIP ?? '']) : [],
    externalIPs: addressesIn(spec.externalIPs ?? []),
    loadBalancerIPs: addressesIn(
      // An address with ipMode Proxy is not served here: the external load balancer receives packets from pods as well,
      // and sends them to NodePorts (KEP-1860).
      (status.loadBalancer?.ingress ?? []).flatMap(({ ip, ipMode }) =>
        ip === undefined || ipMode === 'Proxy' ? [] : [ip],
      ),
    ),
    ports: (spec.ports ?? []).flatMap(({ name = '', protocol = 'TCP', port, nodePort }): ServicePort[] =>
      // The API server of some releases writes 0 for an absent NodePort.
      port === undefined ? [] : [{ name, protocol, port, nodePort: nodePort === 0 ? null : (nodePort ?? null) }],
    ),
    externalTrafficPolicy: spec.externalTrafficPolicy ?? 'Cluster',
    internalTrafficPolicy: spec.internalTrafficPolicy ?? 'Cluster',
    affinitySeconds: spec.sessionAffinity === 'ClientIP' ? timeoutSeconds : null,
    ...(preference !== null && { preference }),
    publishNotReadyAddresses: spec.publishNotReadyAddresses ?? false,
    ...(sourceRanges !== null && { sourceRanges }),
    healthCheckNodePort: spec.healthCheckNodePort === 0 ? null : (spec.healthCheckNodePort ?? null),
  };
  const { clusterIPs, externalIPs, loadBalancerIPs, ports } = service;
  const addresses = clusterIPs.length + externalIPs.length + loadBalancerIPs.length;
  const refusal = overBudget('Service', service, {
    ports: ports.length,
    places: addresses * ports.length,
    clients: Math.max(loadBalancerIPs.length, 1) * ranges.length,
  });
  return refusal === null ? service : { ...service, ...nothing, refusal };
}

/**
 * Returns the ranges of spec.loadBalancerSourceRanges in canonical form; null if the field is empty, or if each range
 * is that of all addresses of a family. A range that cannot be read permits no client. The API server has validated the
 * ranges, but accepts spaces around them and host bits (Kubernetes, pkg/apis/core/validation).
 */
function sourceRangesOf(texts: readonly string[]): readonly string[] | null {
  const ranges = disjointRanges(texts.map((text) => text.trim()));
  return texts.length === 0 || (ranges.length > 0 && ranges.every(permitsFamily)) ? null : ranges;
}

/** Returns true for the range of all addresses of a family. */
function permitsFamily(range: string): boolean {
  return range.endsWith('/0');
}

/**
 * Annotations that stand for spec.trafficDistribution in older releases (kubernetes.io, "Topology Aware Routing");
 * `Disabled` is the default.
 */
const topologyAnnotations = ['service.kubernetes.io/topology-mode', 'service.kubernetes.io/topology-aware-hints'];

/**
 * Returns the field and its value (KEP-4444, KEP-3015), or the annotation, by which a service prefers endpoints near
 * the client; null if the service has neither.
 */
function preferenceOf(distribution: string | undefined, annotations: Labels): string | null {
  if (distribution !== undefined) return `spec.trafficDistribution ${distribution}`;
  const name = topologyAnnotations.find((one) => /^auto$/i.test(annotations[one] ?? ''));
  return name === undefined ? null : `the annotation ${name}`;
}

/** Values that replace fields of a service beyond its budget, so that no part of it is served. */
const nothing = {
  annotations: {},
  clusterIPs: [],
  externalIPs: [],
  loadBalancerIPs: [],
  ports: [],
  healthCheckNodePort: null,
};

/**
 * Returns the annotations of ovn-kubernetes. All others are dropped, because kubectl stores the whole object in an
 * annotation.
 */
function networkOnly(annotations: Labels): Labels {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('k8s.ovn.org/')));
}

/** Returns the valid addresses of a list in canonical form; leaves out `None` and malformed entries. */
function addressesIn(list: readonly string[]): readonly string[] {
  return list.filter((entry) => familyOf(entry) !== null).map(canonicalAddress);
}
