import type { ObjectChange } from '../model/workload.ts';

type Kind = ObjectChange['kind'];

/** Quantities that a budget limits, in words for an Event. */
const words = {
  letters: 'characters that the network reads',
  ports: 'ports',
  places: 'combinations of an address and a port',
  clients: 'combinations of a load balancer address and a range of clients',
  endpoints: 'endpoints',
  accessLists: 'combinations of peers and ports',
  namedPorts: 'combinations of peers and named ports',
  portNames: 'named ports',
  terms: 'peers, ports, address ranges and values of selectors',
  turns: 'changes between rules that accept and rules that deny',
} as const;

type Measure = keyof typeof words;

/**
 * Limits of one object. The API server limits only the size of an object (1.5 MiB, etcd). The size of the rows for an
 * object, however, grows with a product of its parts, such as ports times endpoints: a Service of 178 KB would need a
 * row of 16.7 MB, and a NetworkPolicy of 10 KB would need tens of thousands of rows. `letters` limits the characters of
 * the object as JSON, with only those fields that the network keeps.
 */
export const budgets = {
  Node: { letters: 20_000 },
  Namespace: { letters: 20_000 },
  Pod: { letters: 50_000, ports: 500 },
  // `clients` counts the combinations of a load balancer address and a source range. Its limit also bounds the length
  // of matches and options in the rows for source ranges, and the number of flows that each node has for them.
  Service: { letters: 100_000, ports: 500, places: 1_000, clients: 500 },
  // The API itself allows 1,000 endpoints in an EndpointSlice (discovery.k8s.io/v1).
  EndpointSlice: { letters: 400_000, ports: 500, endpoints: 1_000 },
  // `accessLists` counts an ACL for IPv4 and the same ACL for IPv6 as one. A policy with all address ranges of a cloud
  // provider has some hundreds of ACLs. The limit of `namedPorts` is low, because each pair of a peer and a named port
  // is looked up among all pods. `terms` counts peers, ports, address ranges and values of selectors; `terms` and
  // `letters` limit the length of the matches.
  NetworkPolicy: { letters: 300_000, accessLists: 1_000, namedPorts: 50, terms: 5_000 },
  // `turns` counts the changes between rules that accept and rules that deny, in the order of a policy's rules. The
  // ACLs of the policy need one more priority for each of these changes. OVN's ACLs have 32,768 priorities, which are
  // divided among the 1,001 priorities of policies in each of two tiers. Each policy therefore has 16 of them.
  ClusterNetworkPolicy: { letters: 300_000, portNames: 50, terms: 5_000, turns: 15 },
} as const satisfies Readonly<Record<Kind, { readonly letters: number } & Readonly<Partial<Record<Measure, number>>>>>;

/**
 * For each kind, its name, and the consequence and the remedy if an object exceeds its budget. The consequence concerns
 * only that object.
 */
const consequences: Readonly<Record<Kind, readonly [name: string, consequence: string]>> = {
  Node: ['node', 'its labels are not read, so no rule for nodes selects it; remove labels'],
  Namespace: [
    'namespace',
    'policies know only its name: a selector of other labels selects it for rules that deny, and for no others; remove labels',
  ],
  Pod: ['pod', 'it has no address and no port on the network; remove labels, annotations or ports'],
  Service: ['service', 'it is not served; divide it into several services'],
  EndpointSlice: ['endpoint slice', 'none of its endpoints is served; divide it into several slices'],
  NetworkPolicy: [
    'policy',
    'its pods are closed, and none of its rules allows anything; divide it into several policies, or write port numbers in place of names',
  ],
  ClusterNetworkPolicy: [
    'policy',
    'none of its rules accepts anything, and in a direction with a rule that denies or passes it denies everything; divide it into several policies',
  ],
};

/**
 * Largest number of endpoints in the rows of a service: the number of its places times the endpoints that are written
 * for each place. A place is an address and port at which the service is reached. Each place gets the same number of
 * endpoints, at least one.
 */
export const mostEndpointsOfRows = 30_000;

/**
 * Largest number of port numbers that a rule of a policy covers for one named port in the pods of one namespace. If
 * these pods use the name for more numbers, the rule does not cover the further ones.
 */
export const mostNumbersOfPort = 16;

/**
 * Returns the reason why an object exceeds the budget of its kind, as a sentence for an Event; null if the object is
 * within its budget. `kept` is the object as the network would keep it, and `used` has the other quantities that its
 * budget limits. The check takes time in proportion to the size of the object.
 */
export function overBudget<Of extends Kind>(
  kind: Of,
  kept: unknown,
  used: { readonly [measure in Exclude<keyof (typeof budgets)[Of], 'letters'>]: number },
): string | null {
  const limits: Readonly<Partial<Record<Measure, number>>> = budgets[kind];
  const counted: Readonly<Partial<Record<Measure, number>>> = { ...used, letters: JSON.stringify(kept).length };
  const exceeded = (Object.keys(limits) as Measure[]).find((one) => (counted[one] ?? 0) > (limits[one] ?? 0));
  if (exceeded === undefined) return null;
  const [name, consequence] = consequences[kind];
  return `the ${name} has ${counted[exceeded]} ${words[exceeded]}, and at most ${limits[exceeded]} are served: ${consequence}`;
}
