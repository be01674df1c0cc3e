import { run } from '../host/process/exec.ts';
import { processOf } from '../host/process/pid-file.ts';

/**
 * Time limit for one round in which ovs-vswitchd compares the cached flows of the data path with the OpenFlow flows. A
 * round takes some 100 ms, and seconds on a loaded machine.
 */
const roundMs = 15_000;

/**
 * Waits until the data path forwards by the present OpenFlow flows. ovs-vswitchd compares the cached flows of the data
 * path with the OpenFlow flows in rounds, and `revalidator/wait` answers at the end of a round (ofproto-dpif-upcall.c).
 * The first round may have begun before the last change of the flows, so the end of the second one is awaited. Never
 * fails because of ovs-vswitchd: the wait for a round ends at its time limit. Returns at once if ovs-vswitchd is not
 * running, or if it refuses the command because it has a data path in the kernel and another one in userspace.
 */
export async function awaitRevalidation(runDirectory: string): Promise<void> {
  const pid = processOf(`${runDirectory}/ovs-vswitchd.pid`, 'ovs-vswitchd');
  if (pid === null) return;
  for (let round = 0; round < 2; round += 1)
    await run('ovs-appctl', ['-t', `${runDirectory}/ovs-vswitchd.${pid}.ctl`, 'revalidator/wait'], roundMs);
}
