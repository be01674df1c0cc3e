import type { OnEvent, WatchEnd, WatchEvent } from './cluster-port.ts';
import { type Access, bodyOf, type HttpCall, openCall } from './http.ts';
import { isChange, watchLines } from './watch-lines.ts';

/**
 * Reads a watch, which has one JSON value per line, until onEvent returns true, the limit has expired, or the server
 * ends the watch.
 */
export async function follow(access: Access, call: HttpCall, limitMs: number, onEvent: OnEvent): Promise<WatchEnd> {
  const signal = AbortSignal.any([AbortSignal.timeout(limitMs), ...(call.signal === undefined ? [] : [call.signal])]);
  try {
    const incoming = await openCall(access, { ...call, signal });
    if (incoming.statusCode !== 200) {
      await bodyOf(incoming);
      return 'lost';
    }
    try {
      for await (const lines of watchLines(incoming)) {
        for (const line of lines) {
          if (line.type === 'ERROR') return 'lost';
          if (isChange(line) && onEvent(line as WatchEvent)) return 'done';
        }
      }
    } finally {
      incoming.destroy();
    }
  } catch {
    // The error is ignored: the caller lists the collection again, and that request reports the reason.
  }
  if (call.signal?.aborted === true) throw call.signal.reason;
  return signal.aborted ? 'time-over' : 'lost';
}
