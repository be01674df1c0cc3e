import type { Notice } from '../../../drivers/kubernetes/api.ts';
import type { AgentError } from '../../../errors.ts';
import type { OverlayNode } from '../../../model/overlay.ts';
import type { ClusterNetworkPolicy, Pod, Service } from '../../../model/workload.ts';
import { mostParts } from '../../../workload/cluster-policies/traffic.ts';
import type { ObjectKey } from '../../../workload/plan-workload.ts';
import type { AddressFault } from '../../../workload/pods/address-faults.ts';
import { displacedBy } from '../../../workload/services/displaced.ts';
import { type IndexedServices, indexedServices } from '../../../workload/services/indexed-services.ts';
import { notServed } from '../../../workload/services/not-served.ts';
import { type Outside, type OutsideFacts, outsideOf } from '../../../workload/services/outside.ts';
import { type ServedSlices, servedSlices } from '../../../workload/services/served-slices.ts';
import { unservedNote } from '../../../workload/unserved-requests.ts';
import { clusterPolicyVersion, type Kind, kinds, type Projected } from './followed-kinds.ts';
import type { Objects } from './objects.ts';

/** Returns the Event for a pod that gets no address, or cannot keep the address with which it runs. */
export function noticeOfFault({ pod, reason, note }: AddressFault): Notice {
  const { namespace, name, uid } = pod;
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  return { regarding, type: 'Warning', reason, action: 'AssignAddress', note };
}

/**
 * Returns a list with the Event for the host ports of a pod, which the overlay does not serve. The list is empty if the
 * pod has ended or has no host ports. CRI-O serves them itself (its internal/hostport); containerd does not.
 */
export function noticesOfHostPorts({ namespace, name, uid, isOver, hostPorts = [] }: Pod): readonly Notice[] {
  if (isOver || hostPorts.length === 0) return [];
  const what = `hostPort ${hostPorts.slice(0, 20).join(', ')}`;
  return [
    {
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
      type: 'Warning',
      reason: 'HostPortNotServed',
      action: 'Serve',
      note: `${what} is not served by this network, and leads nowhere unless the container runtime serves it, as CRI-O does and containerd does not: use a Service of type NodePort or LoadBalancer, or hostNetwork`,
    },
  ];
}

/**
 * Returns Events for the parts of a service that are not served. Leaves out the parts that were not served in the
 * earlier state either, because they have been reported. `before` is null if no earlier state exists.
 */
export function noticesOfService(service: Service, now: ServiceView, before: ServiceView | null): readonly Notice[] {
  const reported = before === null ? [] : missing(service, before);
  return missing(service, now)
    .filter((note) => !reported.includes(note))
    .map((note) => notServedNotice(service, note));
}

/** Returns an Event for a service with endpoints that are not served; null if all are served. */
export function noticeOfEndpoints(service: Service, { slices }: ServiceView): Notice | null {
  const fault = slices.fault(`${service.namespace}/${service.name}`);
  return fault === null ? null : notServedNotice(service, fault);
}

/**
 * Returns Events for the services that lose an address and port to a changed service. `before` is the earlier state of
 * the changed service; undefined for a new service. Leaves out the services in `reported`.
 */
export function noticesOfDisplaced(
  service: Service,
  before: Service | undefined,
  { services, outside }: ServiceView,
  reported: readonly Service[],
): readonly Notice[] {
  return [...displacedBy(service, before, services, outside)].flatMap(([other, notes]) =>
    reported.includes(other) ? [] : notes.map((note) => notServedNotice(other, note)),
  );
}

function missing(service: Service, { nodes, outside, slices }: ServiceView): readonly string[] {
  const fault = slices.fault(`${service.namespace}/${service.name}`);
  return [...notServed(service, nodes, outside), ...(fault === null ? [] : [fault])];
}

function notServedNotice({ namespace, name, uid }: Service, note: string): Notice {
  const regarding = { apiVersion: 'v1', kind: 'Service', namespace, name, uid };
  return { regarding, type: 'Warning', reason: 'NotServed', action: 'Serve', note };
}

/** Returns an Event for an object that exceeds its budget; null if it does not. */
export function noticeOfBudget(kind: Kind, object: Projected): Notice | null {
  const { refusal } = object;
  if (refusal === undefined) return null;
  return { regarding: regardingOf(kind, object), type: 'Warning', reason: 'TooLarge', action: 'Serve', note: refusal };
}

/**
 * Returns an Event for each feature that an object requests and that the overlay lacks. Leaves out features that the
 * object already requested in its earlier state `before`, because they have been reported.
 */
export function noticesOfAsks(kind: Kind, object: Projected, before?: Projected): readonly Notice[] {
  const known = before !== undefined && before.uid === object.uid && 'asks' in before ? (before.asks ?? []) : [];
  const asks = 'asks' in object ? (object.asks ?? []) : [];
  return asks
    .filter((ask) => !known.includes(ask))
    .map((ask) => ({
      regarding: regardingOf(kind, object),
      type: 'Warning',
      reason: 'NotServed',
      action: 'Serve',
      note: unservedNote(ask),
    }));
}

function regardingOf({ kind, collection: { apiVersion } }: Kind, object: Projected): Notice['regarding'] {
  const { name, uid } = object;
  return { apiVersion, kind, namespace: 'namespace' in object ? object.namespace : '', name, uid };
}

/**
 * Returns the Event for a cluster policy with a rule whose packets are divided into too many parts by the Pass rules
 * before it (cluster-policies/traffic.ts).
 */
export function noticeOfDivided({ name, uid }: ClusterNetworkPolicy): Notice {
  return {
    regarding: { apiVersion: clusterPolicyVersion, kind: 'ClusterNetworkPolicy', namespace: '', name, uid },
    type: 'Warning',
    reason: 'TooLarge',
    action: 'Serve',
    note: `earlier Pass rules divide a rule of the policy into more than ${mostParts} parts, so it fails closed: a rule that denies ignores them, and a rule that accepts accepts nothing; join Pass rules with the same peers or ports`,
  };
}

/** Facts that decide how a service is served: the nodes, the endpoints, and the other services. */
export interface ServiceView {
  readonly nodes: readonly OverlayNode[];
  readonly services: IndexedServices;
  readonly slices: ServedSlices;
  readonly outside: Outside;
}

/** Returns the facts on which the services depend. */
export function viewOf(facts: OutsideFacts): ServiceView {
  const slices = servedSlices(facts);
  return {
    nodes: facts.nodes,
    services: indexedServices(facts.workload.services),
    slices,
    outside: outsideOf(facts, slices),
  };
}

/**
 * Returns the Event for an object whose rows the northbound database has refused; null if no object with this key
 * exists any more.
 */
export function noticeOfRefused(objectKey: ObjectKey, error: AgentError, { workload }: Objects): Notice | null {
  const found = kinds.find((kind) => objectKey.startsWith(`${kind.keyPrefix}:`));
  if (found === undefined) return null;
  const all: ReadonlyMap<string, Projected> = workload[found.of];
  const object = all.get(objectKey.slice(found.keyPrefix.length + 1));
  if (object === undefined) return null;
  return {
    regarding: regardingOf(found, object),
    type: 'Warning',
    reason: 'Refused',
    action: 'WriteRows',
    note: error.message.slice(0, 1024),
  };
}
