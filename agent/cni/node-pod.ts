import type { Labels } from '../model/workload.ts';
import { ownNetwork, type PodNetwork } from '../workload/pods/annotations.ts';
import { mirrorAnnotation } from '../workload/pods/mirror.ts';

/** A pod of this node, as far as its interface depends on it. */
export interface NodePod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** What the kubelet calls a static pod, which has another uid in the API (annotation kubernetes.io/config.mirror); null: it is none. */
  readonly mirrorOf: string | null;
  /** null: it has no address yet. */
  readonly network: PodNetwork | null;
}

/** Reads a pod of the API. */
export function readNodePod(object: unknown): NodePod {
  const { metadata = {} } = object as { readonly metadata?: Partial<NodePod> & { readonly annotations?: Labels } };
  const { namespace = '', name = '', uid = '', annotations = {} } = metadata;
  const mirrorOf = annotations[mirrorAnnotation] ?? null;
  return { namespace, name, uid, mirrorOf, network: ownNetwork({ uid, annotations }) };
}

/** True where the runtime means this pod; without a uid every one of the name. */
export function isSamePod({ uid, mirrorOf }: NodePod, askedFor: string | null): boolean {
  return askedFor === null || askedFor === uid || askedFor === mirrorOf;
}
