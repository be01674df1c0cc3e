import type { Part } from '../part.ts';

/** Address sets of namespaces, and what network policies allow. */
export const policies: readonly Part[] = [];
