/**
 * Largest burst of Events for one namespace, which is enough for a namespace with many errors; after it, one Event
 * every 20 seconds.
 */
const longestBurst = 10;
/** Time after which one more Event for a namespace is permitted. */
const perEventMs = 20_000;
/**
 * Number of namespaces whose budget is in memory. If there are more, the namespace with the oldest request is
 * forgotten, and has a full budget at its next request.
 */
const mostNamespaces = 1_000;

/**
 * Answer to a request for an Event. `make` allows the Event. `last` replaces the Event by another one, which says that
 * further Events are left out. `none` leaves the Event out.
 */
export type EventGrant = 'make' | 'last' | 'none';

/**
 * Token bucket for each namespace, so that the Events of one namespace neither use up the budget of the cluster nor
 * flood the API server. `nowMs` is the time of a monotonic clock. The first Event beyond the budget gets `last`, and
 * the next ones get `none` until the bucket has a token again.
 */
export interface EventBudget {
  ask(namespace: string, nowMs: number): EventGrant;
}

export function createEventBudget(): EventBudget {
  const buckets = new Map<string, { tokens: number; atMs: number; isReported: boolean }>();
  return {
    ask: (namespace, nowMs) => {
      const before = buckets.get(namespace) ?? { tokens: longestBurst, atMs: nowMs, isReported: false };
      const tokens = Math.min(longestBurst, before.tokens + (nowMs - before.atMs) / perEventMs);
      const isWithin = tokens >= 1;
      const grant = isWithin ? 'make' : before.isReported ? 'none' : 'last';
      buckets.delete(namespace);
      buckets.set(namespace, { tokens: isWithin ? tokens - 1 : tokens, atMs: nowMs, isReported: !isWithin });
      const [oldest = ''] = buckets.keys();
      if (buckets.size > mostNamespaces) buckets.delete(oldest);
      return grant;
    },
  };
}
