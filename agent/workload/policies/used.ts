import type { PolicyPeer, PolicyRule } from '../../model/workload.ts';

/**
 * Returns the quantities of a policy's rules that its budget limits. Counting takes time in proportion to the size of
 * the rules, not to their effect.
 */
export function usedBy(rules: readonly PolicyRule[]): Record<'accessLists' | 'namedPorts' | 'terms', number> {
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
  return used;
}

function termsOf({ podSelector, namespaceSelector, ipBlock }: PolicyPeer): number {
  const values = [podSelector, namespaceSelector].flatMap((selector) =>
    (selector?.matchExpressions ?? []).map(({ values = [] }) => 1 + values.length),
  );
  return 1 + (ipBlock?.except.length ?? 0) + values.reduce((sum, count) => sum + count, 0);
}
