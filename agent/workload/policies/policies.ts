import type { Part } from '../part.ts';
import { namespaces } from './namespaces.ts';
import { peers } from './peers.ts';
import { policyGroups } from './policy-groups.ts';

/** Planners of network policies: address sets of namespaces and of selected pods, and the ACLs. */
export const policies: readonly Part[] = [namespaces, peers, policyGroups];
