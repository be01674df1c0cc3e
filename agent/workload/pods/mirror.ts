/** Annotation of the API's copy of a static pod: the uid of the pod itself, of which the API makes a new copy when somebody deletes one. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** The uid by which the kubelet and the container runtime know a pod: that of a static pod stays while it runs, whatever becomes of its copy. */
export function kubeletUid({ uid, mirrorOf }: { readonly uid: string; readonly mirrorOf?: string | null }): string {
  return mirrorOf ?? uid;
}
