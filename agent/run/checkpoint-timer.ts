/**
 * The checkpoint's own timer. Shorter: a machine that swaps could be rolled back under a living run. Longer: a node whose agent died
 * is cut off for longer than the 15 s promised.
 */
export const checkpointSeconds = 12;
