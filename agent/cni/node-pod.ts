import type { Labels } from '../model/workload.ts';
import { ownNetwork, type PodNetwork } from '../workload/pods/annotations.ts';
import { mirrorAnnotation } from '../workload/pods/static-pods.ts';

/** Pod of this node, with the fields that its interface depends on. */
export interface NodePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /**
   * UID that the kubelet uses for a static pod, in place of the pod's UID in the API (annotation
   * kubernetes.io/config.mirror); null for other pods.
   */
  readonly mirrorOf: string | null;
  /** Network of the pod; null if the pod has no address yet. */
  readonly network: PodNetwork | null;
}

/** Reads a Pod object of the Kubernetes API. */
export function readNodePod(object: unknown): NodePod {
  const { metadata = {} } = object as { readonly metadata?: Partial<NodePod> & { readonly annotations?: Labels } };
  const { namespace = '', name = '', uid = '', annotations = {} } = metadata;
  const mirrorOf = annotations[mirrorAnnotation] ?? null;
  return { namespace, name, uid, mirrorOf, network: ownNetwork({ uid, annotations }) };
}

/**
 * Returns true if the UID that the container runtime reports is the UID of this pod, which the caller has found by its
 * name. If the runtime reports no UID (null), the pod matches.
 */
export function isSamePod({ uid, mirrorOf }: NodePod, askedFor: string | null): boolean {
  return askedFor === null || askedFor === uid || askedFor === mirrorOf;
}
