// How long an address did not answer: pure arithmetic on the times of its replies.

/** A time in which nobody asked: whoever pings runs ahead of everything else, so the node as a whole stood still, and the LAN with it. */
export interface Stop {
  fromMs: number;
  toMs: number;
}

/** What the LAN has heard of an address, ascending. */
export interface Replies {
  times: readonly number[];
  stops: readonly Stop[];
}

/** What the LAN saw of one address between two marks. */
export interface Outage {
  /** Longest silence, without what of it nobody asked in. */
  longestMs: number;
  /** All silences together. */
  totalMs: number;
  silences: { fromMs: number; ms: number }[];
  /** How long nobody asked. */
  stoppedMs: number;
  replies: number;
  /** First reply after the first mark; null when there was none. */
  firstReplyAt: number | null;
}

/**
 * Silences between two marks, from the replies of an address (beginning before the first mark where there are any). Two replies in a row
 * can be two intervals of the pings apart by rounding and scheduling alone, which is no silence.
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
