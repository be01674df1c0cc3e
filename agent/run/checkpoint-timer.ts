/**
 * Rollback timeout of the NetworkManager checkpoint. With a shorter timeout, NetworkManager could roll back a run that
 * is still alive on a machine that swaps. With a longer timeout, a crash of the agent could cut off a node for more
 * than the promised 15 s.
 */
export const checkpointSeconds = 12;
