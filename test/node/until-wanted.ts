/** Shell text that succeeds if systemd has no job for a unit of the agent. */
export const noJob = '[ -z "$(systemctl list-jobs --no-legend "microshift-*")" ]';

/**
 * Returns shell text that waits until the agent's units have brought the node into the desired state, and fails after a
 * limit in seconds. The file /run/drift has the differences that the last check found. No single event reports that all
 * units are done. A check is made only while systemd has no job for a unit of the agent.
 */
export function untilWanted(limitSeconds = 110): string {
  return `timeout ${limitSeconds} sh -c 'until ${noJob} && microshift-net verify > /run/drift 2>&1; do sleep 2; done'`;
}
