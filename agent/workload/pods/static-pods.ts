/**
 * Annotation of a mirror pod with the uid of its static pod; the kubelet creates another mirror pod when one is deleted
 * (Kubernetes, Static Pods).
 */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/**
 * Returns the uid by which the kubelet and the container runtime identify a pod. The uid of a static pod stays the same
 * while the pod runs, even if its mirror pod is deleted.
 */
export function kubeletUid({ uid, mirrorOf }: { readonly uid: string; readonly mirrorOf?: string | null }): string {
  return mirrorOf ?? uid;
}
