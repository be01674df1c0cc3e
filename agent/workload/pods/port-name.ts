/** Returns the name of a pod's logical port; names in Kubernetes do not contain the separator. */
export function portName(pod: string): string {
  return pod.replace('/', '_');
}
