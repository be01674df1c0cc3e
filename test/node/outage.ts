// Duration of an outage of an address, computed from the times of its replies.

/** Time without a request. The pinger has the highest priority, so the whole node and its LAN were paused then. */
export interface Stop {
  fromMs: number;
  toMs: number;
}

/** Times of the replies of an address, ascending. */
export interface Replies {
  times: readonly number[];
  stops: readonly Stop[];
}

/** Outage of one address between two marks, as the LAN measured it. */
export interface Outage {
  /** Longest silence, without the times at which no request was sent. */
  longestMs: number;
  /** Sum of all silences. */
  totalMs: number;
  silences: { fromMs: number; ms: number }[];
  /** Total time without a request. */
  stoppedMs: number;
  replies: number;
  /** First reply after the first mark; null if no reply came. */
  firstReplyAt: number | null;
}

/**
 * Returns the silences between two marks, from the replies of an address (including one before the first mark). Two
 * consecutive replies can be two intervals of the pings apart by rounding and scheduling alone, which does not count.
 */
export function outageBetween({ times, stops }: Replies, fromMs: number, toMs: number, pingMs: number): Outage {
  const within = times.filter((time) => time >= fromMs && time <= toMs);
  const before = times.filter((time) => time < fromMs).at(-1);
  const after = times.find((time) => time > toMs);
  const edges = [before ?? fromMs, ...within, after ?? toMs];
  const silences: Outage['silences'] = [];
  for (let i = 1; i < edges.length; i++) {
    const last = edges[i - 1] ?? 0;
    const next = edges[i] ?? 0;
    const ms = next - last - stoppedMs(stops, last, next);
    if (ms > 2 * pingMs) silences.push({ fromMs: last, ms });
  }
  return {
    longestMs: Math.max(0, ...silences.map((silence) => silence.ms)),
    totalMs: silences.reduce((sum, silence) => sum + silence.ms, 0),
    silences,
    stoppedMs: stoppedMs(stops, fromMs, toMs),
    replies: within.length,
    firstReplyAt: within[0] ?? null,
  };
}

function stoppedMs(stops: readonly Stop[], fromMs: number, toMs: number): number {
  return stops.reduce((sum, stop) => sum + Math.max(0, Math.min(stop.toMs, toMs) - Math.max(stop.fromMs, fromMs)), 0);
}
