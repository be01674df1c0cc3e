import { dial } from './address.ts';
import type { Tap } from './session.ts';

/** Everything that went over one connection. */
export interface RecordedConnection {
  readonly sent: Uint8Array;
  readonly received: Uint8Array;
}

/** A tap for connect(), and what it has seen so far. */
export function recordConnection(): { readonly tap: Tap; readonly recorded: () => RecordedConnection } {
  const sent: Uint8Array[] = [];
  const received: Uint8Array[] = [];
  return {
    tap: {
      sent: (text) => sent.push(Buffer.from(text)),
      received: (chunk) => received.push(chunk),
    },
    recorded: () => ({ sent: Buffer.concat(sent), received: Buffer.concat(received) }),
  };
}

/**
 * Sends what was recorded once more and tells whether the same bytes come back: the cheapest way to see that nothing has changed, as no
 * message is parsed. Record only requests that write nothing. False as well when anything goes wrong, when the server adds something of
 * its own (an `echo`), or when it takes longer than limitMs.
 */
export async function answersAsRecorded(
  remote: string,
  recorded: RecordedConnection,
  limitMs: number,
): Promise<boolean> {
  const socket = await dial(remote, { connectTimeoutMs: limitMs }).catch(() => null);
  if (socket === null) return false;
  return new Promise((resolve) => {
    const end = (same: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(same);
    };
    const timer = setTimeout(() => end(false), limitMs);
    let at = 0;
    socket.on('data', (chunk: Buffer) => {
      const expected = recorded.received.subarray(at, at + chunk.length);
      at += chunk.length;
      if (Buffer.compare(chunk, expected) !== 0) end(false);
      else if (at === recorded.received.length) end(true);
    });
    for (const event of ['error', 'end', 'close']) socket.on(event, () => end(false));
    socket.write(recorded.sent);
  });
}
