/**
 * Shell text that waits until the agent's units have made the node in the desired state, and fails after a limit in
 * seconds. The file /run/drift has the differences that the last check found. No single event reports that all units
 * are done, and a check costs the node half a second of its CPU.
 */
export function untilWanted(limitSeconds = 110): string {
  return `timeout ${limitSeconds} sh -c 'until microshift-net verify > /run/drift 2>&1; do sleep 2; done'`;
}
