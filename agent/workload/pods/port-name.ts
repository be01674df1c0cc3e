/** Returns the name of a pod's logical port; the names of namespaces and pods do not contain an underscore. */
export function portName(pod: string): string {
  return pod.replace('/', '_');
}
