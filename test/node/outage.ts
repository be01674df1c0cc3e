// How long an address did not answer: pure arithmetic on the times of its replies.

/** What the LAN saw of one address between two marks. */
export interface Outage {
  /** Longest silence. */
  longestMs: number;
  /** All silences together. */
  totalMs: number;
  silences: { fromMs: number; ms: number }[];
  replies: number;
  /** First reply after the first mark; null when there was none. */
  firstReplyAt: number | null;
}

// Replies are 10 ms apart; two in a row can be that far apart by rounding and scheduling alone.
export const silenceFloorMs = 20;

/** Silences between two marks, from the reply times of an address (ascending, beginning before the first mark where there are any). */
export function outageBetween(replyTimes: readonly number[], fromMs: number, toMs: number): Outage {
  const within = replyTimes.filter((time) => time >= fromMs && time <= toMs);
  const before = replyTimes.filter((time) => time < fromMs).at(-1);
  const after = replyTimes.find((time) => time > toMs);
  const edges = [before ?? fromMs, ...within, after ?? toMs];
  const silences: Outage['silences'] = [];
  for (let i = 1; i < edges.length; i++) {
    const last = edges[i - 1] ?? 0;
    const ms = (edges[i] ?? 0) - last;
    if (ms > silenceFloorMs) silences.push({ fromMs: last, ms });
  }
  return {
    longestMs: Math.max(0, ...silences.map((silence) => silence.ms)),
    totalMs: silences.reduce((sum, silence) => sum + silence.ms, 0),
    silences,
    replies: within.length,
    firstReplyAt: within[0] ?? null,
  };
}
