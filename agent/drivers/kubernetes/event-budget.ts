/** A namespace in which everything goes wrong has so many Events at once, and then one every 20 seconds. */
const longestBurst = 10;
/** See above. */
const perEventMs = 20_000;
/** Namespaces that have made Events lately; of more, the oldest begin with a full budget. */
const mostNamespaces = 1_000;

/** What may be done of an Event: `last` is to be made with the words that more are left out. */
export type EventGrant = 'make' | 'last' | 'none';

/**
 * A token bucket of each namespace, so that the Events of one do not use up those of the cluster, and its API server is not flooded. `nowMs` is a monotonic
 * clock. The Event after the last one that may be made is `last`, once until the bucket has a token again.
 */
export interface EventBudget {
  ask(namespace: string, nowMs: number): EventGrant;
}

export function createEventBudget(): EventBudget {
  const buckets = new Map<string, { tokens: number; atMs: number; isTold: boolean }>();
  return {
    ask: (namespace, nowMs) => {
      const before = buckets.get(namespace) ?? { tokens: longestBurst, atMs: nowMs, isTold: false };
      const tokens = Math.min(longestBurst, before.tokens + (nowMs - before.atMs) / perEventMs);
      const isWithin = tokens >= 1;
      const grant = isWithin ? 'make' : before.isTold ? 'none' : 'last';
      buckets.delete(namespace);
      buckets.set(namespace, { tokens: isWithin ? tokens - 1 : tokens, atMs: nowMs, isTold: !isWithin });
      const [oldest = ''] = buckets.keys();
      if (buckets.size > mostNamespaces) buckets.delete(oldest);
      return grant;
    },
  };
}
