// Output of ping(8) that SIGINT has ended.
import type { Test } from 'tap';

/**
 * Asserts that every ping was answered. The last ping may be without an answer, because ping(8) does not wait for the
 * answer when SIGINT ends it.
 */
export function everyPingAnswered(t: Test, output: string | null): void {
  const sent = Number(/^(\d+) packets transmitted/m.exec(output ?? '')?.[1]);
  const answered = [...(output ?? '').matchAll(/ icmp_seq=(\d+) ttl=/g)].map(([, number]) => Number(number));
  const missing = Array.from({ length: sent - 1 }, (_, index) => index + 1).filter((one) => !answered.includes(one));
  t.ok(sent > 1, `${sent} pings were sent`);
  t.strictSame(missing, [], 'numbers of the pings without an answer');
}
