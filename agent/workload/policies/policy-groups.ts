import type { DatabaseRow, RowReference } from '../../model/rows.ts';
import type { NetworkPolicy } from '../../model/workload.ts';
import { is, keys, only } from '../../overlay/column-changes.ts';
import type { WantedRow } from '../../overlay/draft.ts';
import { mapOf } from '../../overlay/existing.ts';
import type { Part, UnitDraft } from '../part.ts';
import { type AccessList, accessListsOf } from './access-lists.ts';
import { termsOf } from './clauses.ts';
import { touchedBy } from './concerned.ts';
import { type Identity, identityTags, nameOf } from './identity.ts';
import { selectedPods } from './selections.ts';

const kind = 'policy';
/** Of an ACL's name (ovn-nb.ovsschema). */
const mostLetters = 63;
/**
 * The first. Before any other ovn-northd lets a connection pass that a drop has just stopped, since no ACL of the tiers before matches it: every second packet
 * of it would get through (ls_out_acl_eval, priority 1; seen with 26.03).
 */
const tier = 0;

/**
 * The ports of the pods that a policy is for, in a group that has its access lists: the default deny and what its rules allow over that. Every group
 * denies for itself, so that a pod is closed with the first policy that is for it, whatever else there is, and what drops a packet has the name of a policy.
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

/** The ACLs that the group has already, by what they are for. */
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
      // What a pod sends to a service is judged by where it goes in the end.
      ...(direction === 'Egress' && { options: keys({ 'apply-after-lb': 'true' }) }),
      external_ids: keys(tags),
    },
    place: { row: group, column: 'acls' },
    why,
  });
}
