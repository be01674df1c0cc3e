import type { DatabaseRow, RowReference } from '../../model/rows.ts';
import type { NetworkPolicy } from '../../model/workload.ts';
import { aclPriorities } from '../../overlay/rows/acl-priorities.ts';
import { is, keys, only } from '../../overlay/rows/column-changes.ts';
import type { PlannedRow } from '../../overlay/rows/desired-rows.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import type { ObjectPlanner, Part } from '../part.ts';
import { type AccessList, accessListsOf } from './access-lists.ts';
import { termsOf } from './clauses.ts';
import { touchedBy } from './concerned.ts';
import { type Identity, identityTags, nameOf } from './identity.ts';
import { selectedPods } from './selections.ts';

const kind = 'policy';
/** Longest name of an ACL, in characters (ovn-nb.ovsschema). */
const mostLetters = 63;
/**
 * Tier of the ACLs: the first one. In a later tier, ovn-northd would let every second packet of a denied connection
 * pass, because no ACL of the earlier tiers matches it (ls_out_acl_eval, priority 1; observed with 26.03).
 */
const tier = 0;

/**
 * Planner of the port group of each policy. The group has the ports of the policy's pods, and the policy's ACLs: the
 * default deny, and the permissions of the rules. Each group has its own default deny, so that the first policy that
 * selects a pod isolates it, and each drop is attributed to a policy by name.
 */
export const policyGroups: Part = {
  kind,
  keys: ({ workload }) => workload.policies.keys(),
  concerned: (change, facts) => {
    if (change.kind === 'NetworkPolicy')
      return new Set(
        [change.before, change.now].flatMap((one) => (one === undefined ? [] : [`${one.namespace}/${one.name}`])),
      );
    const isTouched = touchedBy(change, facts);
    return [...facts.workload.policies].flatMap(([key, policy]) => {
      const { targets, selections } = termsOf(policy);
      const withNumbers = [...selections.values()].filter(({ port }) => port !== undefined);
      return [targets, ...withNumbers].some(isTouched) ? [key] : [];
    });
  },
  *plan(key, planner) {
    const policy = planner.workload.policies.get(key);
    if (policy === undefined) return;
    const identity = { type: 'NetworkPolicy', name: `${policy.namespace}:${policy.name}` } as const;
    const name = nameOf(planner.layout.owner, identity);
    const group = planner.add({
      table: 'Port_Group',
      title: `NetworkPolicy ${key}`,
      existing: planner.desired.existing.named('Port_Group', name),
      columns: {
        name: is(name),
        ports: only(portsOf(policy, planner)),
        external_ids: keys(identityTags(planner.layout.owner, identity)),
      },
      why: 'the policy selects these pods',
    });
    const known = listsIn(group, key, planner);
    for (const list of accessListsOf(policy, name, planner)) {
      addList(list, policy, identity, group, known, planner);
      yield;
    }
  },
};

function portsOf(policy: NetworkPolicy, planner: ObjectPlanner): readonly RowReference[] {
  return selectedPods(termsOf(policy).targets, planner).flatMap(([pod]) => planner.portOf(pod) ?? []);
}

/** Returns the existing ACLs of a group by their `k8s.ovn.org/id` in external_ids. */
function listsIn(group: PlannedRow, key: string, { desired }: ObjectPlanner): ReadonlyMap<string, DatabaseRow> {
  const lists = desired.existing
    .ofObject(`${kind}:${key}`)
    .filter(({ table, row }) => table === 'ACL' && desired.existing.parentOf(row)?.row === group.existing);
  return new Map(lists.map(({ row }) => [mapOf(row, 'external_ids')['k8s.ovn.org/id'] ?? '', row]));
}

function addList(
  { direction, part, rule, action, match, why }: AccessList,
  policy: NetworkPolicy,
  identity: Identity,
  group: PlannedRow,
  known: ReadonlyMap<string, DatabaseRow>,
  planner: ObjectPlanner,
): void {
  const more = { direction, ...(rule !== null && { 'gress-index': `${rule}` }), part };
  const tags = identityTags(planner.layout.owner, { ...identity, more });
  const ending = `:${direction}${rule === null ? '' : `:${rule}`}`;
  const name = `NP:${identity.name}`.slice(0, mostLetters - ending.length) + ending;
  planner.add({
    table: 'ACL',
    title: `NetworkPolicy ${policy.namespace}/${policy.name} ${direction} ${rule ?? ''} ${part}`.replace('  ', ' '),
    existing: known.get(tags['k8s.ovn.org/id'] ?? '') ?? null,
    columns: {
      name: is(name),
      direction: is(direction === 'Ingress' ? 'to-lport' : 'from-lport'),
      priority: is(action === 'drop' ? aclPriorities.isolated : aclPriorities.allowed),
      action: is(action),
      match: is(match),
      tier: is(tier),
      // The match of the ACL applies to the destination after load balancing. For a packet to a service, this is the
      // backend.
      ...(direction === 'Egress' && { options: keys({ 'apply-after-lb': 'true' }) }),
      external_ids: keys(tags),
    },
    place: { row: group, column: 'acls' },
    why,
  });
}
