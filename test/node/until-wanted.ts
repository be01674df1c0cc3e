/**
 * Shell text that waits until the agent's units have made the node in the desired state, and fails after a limit in
 * seconds. What the last look found is in /run/drift. No single event says that all units are done, and a look costs
 * the node half a second of its CPU.
 */
export function untilWanted(limitSeconds = 110): string {
  return `timeout ${limitSeconds} sh -c 'until microshift-net verify > /run/drift 2>&1; do sleep 2; done'`;
}
