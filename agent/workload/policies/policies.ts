import type { Part } from '../part.ts';
import { namespaces } from './namespaces.ts';
import { peers } from './peers.ts';
import { policyGroups } from './policy-groups.ts';

/** Address sets of namespaces and of the pods that rules speak of, and what network policies allow. */
export const policies: readonly Part[] = [namespaces, peers, policyGroups];
