import type { NetworkPolicy } from '../../model/workload.ts';
import { hairpinSources } from '../hairpin.ts';
import type { WorkloadFacts } from '../part.ts';
import { matchOf, setsOf } from './address-sets.ts';
import { type Clause, type Direction, termsOf, withPort } from './clauses.ts';
import { numbersOf, type Selection, selectedPods } from './selections.ts';

/** An ACL as a policy wants it (ovn-nb(5), ACL), without what all of them have. */
export interface AccessList {
  readonly direction: Direction;
  /** Tells it from the others of its policy and direction. */
  readonly part: string;
  /** The rule of the policy that it serves; null: what goes with every policy. */
  readonly rule: number | null;
  readonly action: 'drop' | 'allow' | 'allow-related';
  readonly match: string;
  readonly why: string;
}

/** The ACLs of a policy for the ports in a group. */
export function accessListsOf(policy: NetworkPolicy, group: string, facts: WorkloadFacts): readonly AccessList[] {
  return policy.policyTypes.flatMap((direction) => {
    const own = `${direction === 'Ingress' ? 'outport' : 'inport'} == @${group}`;
    const clauses = termsOf(policy).clauses.filter((clause) => clause.direction === direction);
    return [...always(direction, own), ...clauses.flatMap((clause) => allowances(clause, own, facts))];
  });
}

function always(direction: Direction, own: string): readonly AccessList[] {
  const hairpin = hairpinSources.map((source) => `${source.includes(':') ? 'ip6' : 'ip4'}.src == ${source}`);
  const common = { direction, rule: null } as const;
  return [
    {
      ...common,
      part: 'default-deny',
      action: 'drop',
      match: own,
      why: 'what a policy is for gets nothing but what policies allow',
    },
    {
      ...common,
      part: 'neighbours',
      action: 'allow',
      match: `${own} && (arp || nd)`,
      why: 'addresses are still resolved',
    },
    // A pod always reaches itself; by a service it comes from that address.
    ...(direction === 'Egress'
      ? []
      : [
          {
            ...common,
            part: 'itself',
            action: 'allow-related' as const,
            match: `${own} && (${hairpin.join(' || ')})`,
            why: 'a pod reaches itself by a service that it is part of',
          },
        ]),
  ];
}

function allowances(clause: Clause, own: string, facts: WorkloadFacts): readonly AccessList[] {
  const { direction, rule, part, peers, block, ports, named } = clause;
  const there = direction === 'Ingress' ? 'src' : 'dst';
  const common = {
    direction,
    rule,
    action: 'allow-related',
    why: `rule ${rule} of its ${direction.toLowerCase()}`,
  } as const;
  const other = [
    ...(peers === null ? [] : [matchOf(there, setsOf(peers), facts.layout)]),
    ...(block === null ? [] : [block]),
  ];
  if (named === null) {
    const terms = [...other, ...(ports === null ? [] : [ports])];
    return [{ ...common, part, match: [own, ...(terms.length === 0 ? ['ip'] : terms)].join(' && ') }];
  }
  const selection = withPort(named);
  return distinctNumbers(selection, facts).map((number) => ({
    ...common,
    part: `${part}-${number}`,
    match: [
      own,
      ...other,
      `${named.port.protocol.toLowerCase()}.dst == ${number}`,
      matchOf('dst', setsOf(selection, number), facts.layout),
    ].join(' && '),
  }));
}

/** The numbers that a named port has somewhere, smallest first. */
export function distinctNumbers(selection: Selection, facts: WorkloadFacts): readonly number[] {
  const { port } = selection;
  if (port === undefined) return [];
  const numbers = new Set<number>();
  for (const [, pod] of selectedPods(selection, facts)) for (const number of numbersOf(port, pod)) numbers.add(number);
  return [...numbers].toSorted((a, b) => a - b);
}
