import type { PolicyPeer, PolicyRule } from '../../model/workload.ts';

/**
 * Most of what one policy may cause. The API server limits a NetworkPolicy by its size alone (1.5 MiB, etcd), and the access lists of a rule are the
 * product of its peers and its named ports: 10 KB can ask for tens of thousands of rows.
 */
export const policyBudget = {
  /** Access lists, before they are counted for each IP family. Policies with the address ranges of a whole provider have some hundreds. */
  accessLists: 1000,
  /** Pairs of a peer and a named port, each of which is looked up among all pods. */
  namedPorts: 50,
  /** Peers, ports, exceptions of address ranges and values of selectors: the length of the matches. */
  terms: 5000,
} as const;

/** Numbers that one named port may have in the pods of a policy; those beyond are not allowed. */
export const mostNumbersOfPort = 16;

/**
 * Returns why rules exceed the budget of a policy, as a sentence for an Event; null if they are within it. The cost of the answer is the size of the
 * object, not of what it asks for.
 */
export function overBudget(rules: readonly PolicyRule[]): string | null {
  const used = { accessLists: 0, namedPorts: 0, terms: 0 };
  for (const { peers, ports } of rules) {
    const others = Math.max(1, peers.length);
    const names = new Set(
      ports.flatMap(({ port, protocol }) => (typeof port === 'string' ? [`${protocol} ${port}`] : [])),
    );
    const protocols = new Set(ports.map(({ protocol }) => protocol));
    used.accessLists += others * Math.max(1, names.size + protocols.size);
    used.namedPorts += others * names.size;
    used.terms += ports.length + peers.reduce((sum, peer) => sum + termsOf(peer), 0);
  }
  const exceeded = (Object.keys(used) as (keyof typeof used)[]).find((name) => used[name] > policyBudget[name]);
  if (exceeded === undefined) return null;
  const words = {
    accessLists: 'combinations of peers and ports',
    namedPorts: 'combinations of peers and named ports',
    terms: 'peers, ports and address ranges',
  };
  return `the policy has ${used[exceeded]} ${words[exceeded]}, and at most ${policyBudget[exceeded]} are served: its pods are closed, and none of its rules allows anything; divide it into several policies, or write port numbers in place of names`;
}

function termsOf({ podSelector, namespaceSelector, ipBlock }: PolicyPeer): number {
  const values = [podSelector, namespaceSelector].flatMap((selector) =>
    (selector?.matchExpressions ?? []).map(({ values = [] }) => 1 + values.length),
  );
  return 1 + (ipBlock?.except.length ?? 0) + values.reduce((sum, count) => sum + count, 0);
}
