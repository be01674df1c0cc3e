/**
 * Rollback timeout of the NetworkManager checkpoint. A shorter one could roll back a run that is still alive on a
 * machine that swaps. A longer one would cut off a node for more than the promised 15 s after a crash of the agent.
 */
export const checkpointSeconds = 12;
