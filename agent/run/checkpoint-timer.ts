/**
 * Rollback timeout of the NetworkManager checkpoint. With a shorter timeout, NetworkManager could roll back a run that
 * is still alive on a machine that swaps. With a longer timeout, a crash of the agent after which systemd does not
 * start the recovery could cut off a node for more than 15 s (docs/lab/faults.md).
 */
export const checkpointSeconds = 12;
