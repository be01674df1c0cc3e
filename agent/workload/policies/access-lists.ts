import { masqueradeOfHairpin } from '../../model/ovn-kubernetes-addresses.ts';
import type { NetworkPolicy } from '../../model/workload.ts';
import { isIpv6, subnetOf, withoutLength } from '../../overlay/addresses.ts';
import { managementAddresses } from '../../overlay/cluster/node-rows.ts';
import { traitsOf } from '../../overlay/layouts/layouts.ts';
import type { WorkloadFacts } from '../part.ts';
import { familiesOf, fieldOf, matchOf, setsOf } from './address-sets.ts';
import { type Clause, type Direction, termsOf, withPort } from './clauses.ts';
import { numbersInPods, type Selection, selectedPods } from './selections.ts';

/** ACL of a policy (ovn-nb(5), ACL), without the columns that all ACLs of policies share. */
export interface AccessList {
  readonly direction: Direction;
  /** Identifier of the ACL among those of the same policy and direction. */
  readonly part: string;
  /** Index of the rule among the ingress rules or the egress rules; null for an ACL that belongs to no rule. */
  readonly rule: number | null;
  readonly action: 'drop' | 'allow' | 'allow-related';
  readonly match: string;
  readonly why: string;
}

/** Returns the ACLs of a policy for the logical ports in a port group; `group` is the name of the group. */
export function accessListsOf(policy: NetworkPolicy, group: string, facts: WorkloadFacts): readonly AccessList[] {
  return policy.policyTypes.flatMap((direction) => {
    const own = `${direction === 'Ingress' ? 'outport' : 'inport'} == @${group}`;
    const clauses = termsOf(policy).clauses.filter((clause) => clause.direction === direction);
    return [...always(direction, own, facts), ...clauses.flatMap((clause) => allowances(clause, own, facts))];
  });
}

function always(direction: Direction, own: string, facts: WorkloadFacts): readonly AccessList[] {
  const common = { direction, rule: null } as const;
  return [
    {
      ...common,
      part: 'default-deny',
      action: 'drop',
      match: own,
      why:
        direction === 'Ingress'
          ? 'pods of the policy receive only packets that a policy allows'
          : 'pods of the policy send only packets that a policy allows',
    },
    {
      ...common,
      part: 'neighbours',
      action: 'allow',
      match: `${own} && (arp || nd)`,
      why: 'ARP and neighbour discovery pass every policy',
    },
    ...(direction === 'Ingress' ? alwaysInwards(own, facts) : []),
  ];
}

function alwaysInwards(own: string, facts: WorkloadFacts): readonly AccessList[] {
  const common = { direction: 'Ingress', rule: null, action: 'allow-related' } as const;
  const hairpin = Object.values(masqueradeOfHairpin).map((source) => `${ipOf(source)}.src == ${source}`);
  const itself = {
    ...common,
    part: 'itself',
    match: `${own} && (${hairpin.join(' || ')})`,
    why: 'a pod reaches itself by a service of which it is an endpoint',
  };
  const node = nodeAdmission(own, facts);
  return node === null ? [itself] : [itself, { ...common, part: 'node', ...node }];
}

/**
 * Returns the condition by which the ACLs of a policy admit all nodes; null if no node has pod subnets, or if an ACL of
 * each node's switch admits that node. Only layout `modern` has such ACLs of switches.
 */
export function nodeAdmission(
  own: string,
  { layout, nodes }: WorkloadFacts,
): { readonly match: string; readonly why: string } | null {
  if (traitsOf(layout).admitsNodes) return null;
  const ofNodes = nodes.flatMap((node) =>
    managementAddresses(node).map((address) => {
      const ip = ipOf(address);
      return `(${ip}.src == ${withoutLength(address)} && ${ip}.dst == ${subnetOf(address)})`;
    }),
  );
  if (ofNodes.length === 0) return null;
  return { match: `${own} && (${ofNodes.join(' || ')})`, why: "the kubelet's probes pass network policies" };
}

function ipOf(address: string): 'ip4' | 'ip6' {
  return isIpv6(address) ? 'ip6' : 'ip4';
}

/**
 * Returns the ACLs of a clause, which is a part of a policy's rule. A clause with address sets has separate ACLs for
 * the IP families and for the numbers of its named port, because ovn-controller processes a change of a set
 * incrementally only if the match contains no other set (lflow.c). Only an ingress clause with peers and a named port
 * has two sets in a match.
 */
function allowances(clause: Clause, own: string, facts: WorkloadFacts): readonly AccessList[] {
  const { direction, rule, part, peers, block, ports, named } = clause;
  const common = {
    direction,
    rule,
    action: 'allow-related',
    why: `rule ${rule} in the ${direction.toLowerCase()} of the policy allows this`,
  } as const;
  if (peers === null && named === null) {
    const terms = [block ?? [], ports ?? []].flat();
    return [{ ...common, part, match: [own, ...(terms.length === 0 ? ['ip'] : terms)].join(' && ') }];
  }
  const { owner } = facts.layout;
  const there = direction === 'Ingress' ? 'src' : 'dst';
  const numbers = named === null ? [] : distinctNumbers(withPort(named), facts);
  const families = familiesOf(facts.layout).filter((family) => block === null || block.startsWith(fieldOf[family]));
  return families.flatMap((family) => {
    const other = [peers === null ? [] : matchOf(there, setsOf(peers), family, owner), block ?? []].flat();
    if (named === null)
      return [{ ...common, part: `${part}:${family}`, match: [own, ...other, ports ?? []].flat().join(' && ') }];
    return numbers.map((number) => {
      const served = matchOf('dst', setsOf(withPort(named), number), family, owner);
      const port = `${named.port.protocol.toLowerCase()}.dst == ${number}`;
      return { ...common, part: `${part}-${number}:${family}`, match: [own, ...other, port, served].join(' && ') };
    });
  });
}

/**
 * Returns the numbers that the named port of a selection has in the selected pods, smallest first. Of each namespace,
 * only a limited number of them is returned (budget.ts).
 */
export function distinctNumbers(selection: Selection, facts: WorkloadFacts): readonly number[] {
  const { port } = selection;
  if (port === undefined) return [];
  return numbersInPods(
    port,
    selectedPods(selection, facts).map(([, pod]) => pod),
  );
}
