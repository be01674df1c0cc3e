import type { DatabaseRow, RowReference } from '../../model/rows.ts';
import type { NetworkPolicy } from '../../model/workload.ts';
import { is, keys, only } from '../../overlay/rows/column-changes.ts';
import type { WantedRow } from '../../overlay/rows/desired-rows.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import type { Part, UnitDraft } from '../part.ts';
import { type AccessList, accessListsOf } from './access-lists.ts';
import { termsOf } from './clauses.ts';
import { touchedBy } from './concerned.ts';
import { type Identity, identityTags, nameOf } from './identity.ts';
import { selectedPods } from './selections.ts';

const kind = 'policy';
/** Longest name of an ACL, in characters (ovn-nb.ovsschema). */
const mostLetters = 63;
/**
 * Tier of the ACLs, the first one. In a later tier, ovn-northd lets every second packet of a connection pass that a drop has just stopped, because no
 * ACL of the earlier tiers matches it (ls_out_acl_eval, priority 1; observed with 26.03).
 */
const tier = 0;

/**
 * Planner of the port group of each policy, with the ports of its pods and its ACLs: the default deny, and the permissions of its rules. Each group
 * has its own default deny, so that a pod is isolated by the first policy that selects it, and a drop has the name of a policy.
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
  *want(key, unit) {
    const policy = unit.workload.policies.get(key);
    if (policy === undefined) return;
    const identity = { type: 'NetworkPolicy', name: `${policy.namespace}:${policy.name}` } as const;
    const name = nameOf(unit.layout.owner, identity);
    const group = unit.want({
      table: 'Port_Group',
      title: `NetworkPolicy ${key}`,
      existing: unit.draft.existing.named('Port_Group', name),
      columns: {
        name: is(name),
        ports: only(portsOf(policy, unit)),
        external_ids: keys(identityTags(unit.layout.owner, identity)),
      },
      why: 'the pods that the policy is for',
    });
    const known = listsIn(group, key, unit);
    for (const list of accessListsOf(policy, name, unit)) {
      wantList(list, policy, identity, group, known, unit);
      yield;
    }
  },
};

function portsOf(policy: NetworkPolicy, unit: UnitDraft): readonly RowReference[] {
  return selectedPods(termsOf(policy).targets, unit).flatMap(([pod]) => unit.portOf(pod) ?? []);
}

/** Returns the existing ACLs of a group by their identity. */
function listsIn(group: WantedRow, key: string, { draft }: UnitDraft): ReadonlyMap<string, DatabaseRow> {
  const lists = draft.existing
    .ofUnit(`${kind}:${key}`)
    .filter(({ table, row }) => table === 'ACL' && draft.existing.holderOf(row)?.row === group.existing);
  return new Map(lists.map(({ row }) => [mapOf(row, 'external_ids')['k8s.ovn.org/id'] ?? '', row]));
}

function wantList(
  { direction, part, rule, action, match, why }: AccessList,
  policy: NetworkPolicy,
  identity: Identity,
  group: WantedRow,
  known: ReadonlyMap<string, DatabaseRow>,
  unit: UnitDraft,
): void {
  const more = { direction, ...(rule !== null && { 'gress-index': `${rule}` }), part };
  const tags = identityTags(unit.layout.owner, { ...identity, more });
  const ending = `:${direction}${rule === null ? '' : `:${rule}`}`;
  const name = `NP:${identity.name}`.slice(0, mostLetters - ending.length) + ending;
  unit.want({
    table: 'ACL',
    title: `NetworkPolicy ${policy.namespace}/${policy.name} ${direction} ${rule ?? ''} ${part}`.replace('  ', ' '),
    existing: known.get(tags['k8s.ovn.org/id'] ?? '') ?? null,
    columns: {
      name: is(name),
      direction: is(direction === 'Ingress' ? 'to-lport' : 'from-lport'),
      priority: is(action === 'drop' ? 1000 : 1001),
      action: is(action),
      match: is(match),
      tier: is(tier),
      // Packets to a service are judged by their final destination.
      ...(direction === 'Egress' && { options: keys({ 'apply-after-lb': 'true' }) }),
      external_ids: keys(tags),
    },
    place: { row: group, column: 'acls' },
    why,
  });
}
