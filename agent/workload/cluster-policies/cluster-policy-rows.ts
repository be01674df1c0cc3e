import type { DatabaseRow } from '../../model/rows.ts';
import type { ClusterNetworkPolicy, NamespacedName } from '../../model/workload.ts';
import { rangesOf } from '../../net/spans.ts';
import { isIpv6 } from '../../overlay/addresses.ts';
import { aclPriorities } from '../../overlay/rows/acl-priorities.ts';
import { is, keys, only } from '../../overlay/rows/column-changes.ts';
import type { PlannedRow } from '../../overlay/rows/desired-rows.ts';
import { mapOf } from '../../overlay/rows/row-index.ts';
import type { ObjectPlanner } from '../part.ts';
import { nodeAdmission } from '../policies/access-lists.ts';
import { type Family, familiesOf, fieldOf } from '../policies/address-sets.ts';
import type { Direction } from '../policies/clauses.ts';
import { type Identity, identityTags, nameOf } from '../policies/identity.ts';
import { portsMatch } from './port-sets.ts';
import type { Decision, Traffic } from './traffic.ts';

/** Prefix of the object keys of cluster policies. */
export const clusterPolicyKind = 'cluster-policy';
/** Longest name of an ACL, in characters (ovn-nb.ovsschema). */
const mostLetters = 63;

/** Planner of the rows of one policy. */
export interface PolicyRows {
  /**
   * Plans the ACLs for one part of the packets of a decision, with the port group and the address sets to which these
   * ACLs refer. `part` is the number of this part.
   */
  add(decision: Decision, part: number, traffic: Traffic): void;
}

/**
 * Port group of pods to which a policy applies. `directions` has the directions for which the ACLs that belong to no
 * rule are already planned.
 */
interface Group {
  readonly name: string;
  readonly number: number;
  readonly row: PlannedRow;
  readonly directions: Set<Direction>;
}

/** Creates the planner of the rows of a policy. */
export function rowsOf(policy: ClusterNetworkPolicy, planner: ObjectPlanner): PolicyRows {
  const { owner } = planner.layout;
  const { name } = policy;
  const groups: { readonly pods: ReadonlySet<NamespacedName>; readonly group: Group }[] = [];
  const known = listsIn(name, planner);
  const identityOf = (more: Readonly<Record<string, string>>): Identity => ({
    type: 'ClusterNetworkPolicy',
    name,
    more: { tier: policy.tier, ...more },
  });
  const groupOf = (pods: ReadonlySet<NamespacedName>): Group => {
    const found = groups.find((one) => isSame(one.pods, pods));
    if (found !== undefined) return found.group;
    const number = groups.length;
    const identity = identityOf({ subject: `${number}` });
    const groupName = nameOf(owner, identity);
    const row = planner.add({
      table: 'Port_Group',
      title: `ClusterNetworkPolicy ${name} ${number}`,
      existing: planner.desired.existing.named('Port_Group', groupName),
      columns: {
        name: is(groupName),
        ports: only([...pods].flatMap((pod) => planner.portOf(pod) ?? [])),
        external_ids: keys(identityTags(owner, identity)),
      },
      why: 'the pods to which rules of the policy apply',
    });
    const group = { name: groupName, number, row, directions: new Set<Direction>() };
    groups.push({ pods, group });
    return group;
  };
  const addList = (list: PlannedList): void => {
    const { group, direction, part, rule, action, priority, match, why } = list;
    const more = { direction, ...(rule !== null && { 'gress-index': `${rule}` }), subject: `${group.number}`, part };
    const tags = identityTags(owner, identityOf(more));
    const ending = `:${direction}${rule === null ? '' : `:${rule}`}`;
    planner.add({
      table: 'ACL',
      title: `ClusterNetworkPolicy ${[name, direction, rule ?? '', group.number, part].join(' ').replace('  ', ' ')}`,
      existing: known.get(`${group.name} ${tags['k8s.ovn.org/id']}`) ?? null,
      columns: {
        name: is(`CNP:${policy.tier}:${name}`.slice(0, mostLetters - ending.length) + ending),
        direction: is(direction === 'Ingress' ? 'to-lport' : 'from-lport'),
        priority: is(priority),
        action: is(action),
        match: is(match),
        // The ACLs are in the first tier of OVN. In a later tier, some packets of a denied connection would pass
        // (policies/policy-groups.ts).
        tier: is(0),
        // The match of the ACL applies to the destination after load balancing, as in a NetworkPolicy.
        ...(direction === 'Egress' && { options: keys({ 'apply-after-lb': 'true' }) }),
        external_ids: keys(tags),
      },
      place: { row: group.row, column: 'acls' },
      why,
    });
  };
  const addCommon = (group: Group, direction: Direction, own: string): void => {
    if (group.directions.has(direction)) return;
    group.directions.add(direction);
    const common = { group, direction, rule: null };
    addList({
      ...common,
      part: 'neighbours',
      action: 'allow',
      priority: aclPriorities.neighbours,
      match: `${own} && (arp || nd)`,
      why: 'addresses are still resolved',
    });
    const admission = direction === 'Ingress' ? nodeAdmission(own, planner) : null;
    if (admission !== null)
      addList({ ...common, ...admission, part: 'node', action: 'allow-related', priority: aclPriorities.node });
  };
  return {
    add: ({ direction, rule, action, priority }, place, { subject, peers, ports }) => {
      const group = groupOf(subject);
      const own = `${direction === 'Ingress' ? 'outport' : 'inport'} == @${group.name}`;
      const there = direction === 'Ingress' ? 'src' : 'dst';
      addCommon(group, direction, own);
      for (const family of familiesOf(planner.layout)) {
        const field = `${fieldOf[family]}.${there}`;
        const addresses = [...peers.addresses].filter((address) => isOfFamily(address, family));
        const ranges = rangesOf(peers.spans).filter((range) => isOfFamily(range, family));
        const ofRule = { direction, ...(rule !== null && { 'gress-index': `${rule}` }), part: `${place}` };
        const terms = [
          ...(addresses.length === 0
            ? []
            : [`${field} == $${addSet(policy, identityOf({ ...ofRule, 'ip-family': family }), addresses, planner)}`]),
          ...(ranges.length === 0 ? [] : [`${field} == ${listOf(ranges)}`]),
        ];
        if (terms.length === 0) continue;
        const condition = portsMatch(ports, family === 'v4' ? 'icmp4' : 'icmp6');
        addList({
          group,
          direction,
          rule,
          part: `${place}:${family}`,
          action: action === 'Accept' ? 'allow-related' : 'drop',
          priority,
          match: [own, terms.length === 1 ? terms[0] : `(${terms.join(' || ')})`, condition ?? []].flat().join(' && '),
          why:
            rule === null
              ? 'pods reach each other in the group of their namespaces'
              : `rule ${rule} of its ${direction.toLowerCase()}`,
        });
      }
    },
  };
}

/** ACL of a policy, without the columns that all ACLs of a policy share. */
interface PlannedList {
  readonly group: Group;
  readonly direction: Direction;
  readonly part: string;
  readonly rule: number | null;
  readonly action: 'drop' | 'allow' | 'allow-related';
  readonly priority: number;
  readonly match: string;
  readonly why: string;
}

/** Plans an address set with the addresses of peers, all of one family. Returns the name of the set. */
function addSet(
  { name }: ClusterNetworkPolicy,
  identity: Identity,
  addresses: readonly string[],
  planner: ObjectPlanner,
): string {
  const { owner } = planner.layout;
  const setName = nameOf(owner, identity);
  planner.add({
    table: 'Address_Set',
    title: `ClusterNetworkPolicy ${[name, ...Object.values(identity.more ?? {})].join(' ')}`,
    existing: planner.desired.existing.named('Address_Set', setName),
    columns: { name: is(setName), addresses: only(addresses), external_ids: keys(identityTags(owner, identity)) },
    why: 'a rule of the policy concerns these addresses',
  });
  return setName;
}

/** Returns the existing ACLs of a policy by the name of their group and their `k8s.ovn.org/id` in external_ids. */
function listsIn(name: string, { desired: { existing } }: ObjectPlanner): ReadonlyMap<string, DatabaseRow> {
  const lists = existing.ofObject(`${clusterPolicyKind}:${name}`).filter(({ table }) => table === 'ACL');
  return new Map(
    lists.map(({ row }) => {
      const group = existing.parentOf(row)?.row.name;
      return [`${String(group)} ${mapOf(row, 'external_ids')['k8s.ovn.org/id'] ?? ''}`, row];
    }),
  );
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((key) => other.has(key));
}

function isOfFamily(address: string, family: Family): boolean {
  return isIpv6(address) === (family === 'v6');
}

function listOf(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : `{${words.join(', ')}}`;
}
