import type { ContainerPort, Labels, Pod, Protocol } from '../../model/workload.ts';
import { overBudget } from '../budget.ts';
import { asksOfPod } from '../unserved-requests.ts';
import { annotationNames } from './annotations.ts';
import { mirrorAnnotation } from './static-pods.ts';

/**
 * Fields of a Pod (v1) that are read; fields with defaults may be absent in objects that an older API server has
 * stored.
 */
interface PodObject {
  readonly metadata?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
    readonly labels?: Labels;
    readonly annotations?: Labels;
  };
  readonly spec?: {
    readonly nodeName?: string;
    readonly hostNetwork?: boolean;
    readonly initContainers?: readonly ContainerObject[];
    readonly containers?: readonly ContainerObject[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip?: string }[];
  };
}

interface ContainerObject {
  /** Restart policy, for init containers only. */
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly protocol?: Protocol;
    readonly containerPort?: number;
    readonly hostPort?: number;
  }[];
}

/** Longest annotation that is read, in characters; those of this program and of ovn-kubernetes have some hundreds. */
const longestAnnotation = 4096;

const known: readonly string[] = Object.values(annotationNames);

/**
 * Returns the fields of a Pod on which the network depends. A Pod beyond its budget has no labels, annotations and
 * ports in the result, and gets no address. Never throws.
 */
export function readPod(object: unknown): Pod {
  const { metadata = {}, spec = {}, status = {} } = object as PodObject;
  const { labels = {}, annotations = {} } = metadata;
  // An init container with the restart policy Always is a sidecar, which runs beside the other containers (KEP-753), so
  // its ports count. All other init containers have ended when the pod serves.
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers = [...(spec.containers ?? []), ...sidecars];
  // A pod in the host network counts as a pod without host ports: the API server sets hostPort in its ports by default,
  // and the ports are on the node in any case.
  const hostPorts = spec.hostNetwork === true ? [] : containers.flatMap(hostPortsOf);
  const podIPs = status.podIPs ?? [{ ip: status.podIP ?? '' }];
  const ports = containers.flatMap(portsOf);
  // A pod in the host network counts as a pod without a request for bandwidth, because limits do not apply to it.
  const asks = spec.hostNetwork === true ? [] : asksOfPod({ annotations });
  const pod: Pod = {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ...(annotations[mirrorAnnotation] !== undefined && { mirrorOf: annotations[mirrorAnnotation] }),
    labels,
    annotations: Object.fromEntries(Object.entries(annotations).flatMap(annotationOf)),
    nodeName: spec.nodeName === '' ? null : (spec.nodeName ?? null),
    isHostNetwork: spec.hostNetwork === true,
    isOver: status.phase === 'Succeeded' || status.phase === 'Failed',
    podIPs: podIPs.flatMap(({ ip = '' }) => (ip === '' ? [] : [ip])),
    ports,
    ...(hostPorts.length > 0 && { hostPorts }),
    ...(asks.length > 0 && { asks }),
  };
  const refusal = overBudget('Pod', pod, { ports: ports.length });
  return refusal === null ? pod : { ...withoutPorts(pod), labels: {}, annotations: {}, refusal };
}

function withoutPorts({ hostPorts: _, ...pod }: Pod): Pod {
  return { ...pod, ports: [] };
}

/**
 * Returns an annotation that the network reads; empty for any other annotation. A value beyond the limit, which the
 * agent never writes, is replaced by a text with its length. This text is not a valid address, so a pod that requests
 * addresses by such a value is refused with an Event.
 */
function annotationOf([key, text]: readonly [string, string]): readonly (readonly [string, string])[] {
  if (!known.includes(key)) return [];
  return [[key, text.length > longestAnnotation ? `(${text.length} characters)` : text]];
}

function portsOf({ ports = [] }: ContainerObject): readonly ContainerPort[] {
  return ports.flatMap(({ name = null, protocol = 'TCP', containerPort }) =>
    containerPort === undefined ? [] : [{ name, protocol, containerPort }],
  );
}

/** Returns the host ports of a container. A port whose hostPort is 0 or absent has no host port. */
function hostPortsOf({ ports = [] }: ContainerObject): readonly number[] {
  return ports.flatMap(({ hostPort = 0 }) => (hostPort === 0 ? [] : [hostPort]));
}
