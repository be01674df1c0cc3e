/** Name of a pod's logical port; no name of Kubernetes has the character between. */
export function portName(pod: string): string {
  return pod.replace('/', '_');
}
