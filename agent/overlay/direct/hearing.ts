/**
 * Time without a probe after which the direct route counts as broken, in ms: more than three intervals between probes.
 */
export const silenceMs = 3_500;
/** Number of probes in succession after which a direct route is used. */
const probesNeeded = 3;

/** Probes that have arrived; they show which direct routes work. Times are those of a monotonic clock. */
export interface Hearing {
  /**
   * Notes that a probe of a node has arrived. `name` is the name of the node, with the suffix `/ipv6` for a probe over
   * IPv6.
   */
  arrived(name: string, atMs: number): void;
  /** Returns the nodes whose probes arrive, each by its name, with the suffix `/ipv6` for probes over IPv6; sorted. */
  heard(nowMs: number): readonly string[];
}

/** Returns an object that notes arriving probes; it has noted none yet. */
export function createHearing(): Hearing {
  const last = new Map<string, { readonly atMs: number; readonly count: number }>();
  return {
    arrived: (name, atMs) => {
      const before = last.get(name);
      const isNext = before !== undefined && atMs - before.atMs <= silenceMs;
      last.set(name, { atMs, count: isNext ? before.count + 1 : 1 });
    },
    heard: (nowMs) =>
      [...last]
        .filter(([, { atMs, count }]) => count >= probesNeeded && nowMs - atMs <= silenceMs)
        .map(([name]) => name)
        .toSorted(),
  };
}
