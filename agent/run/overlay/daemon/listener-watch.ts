import { socketCounts } from '../../../drivers/host/kernel/socket-counts.ts';
import { isAgentError } from '../../../errors.ts';
import { listenersBesideServices } from '../node/occupied-places.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Interval of the checks for new listening sockets. No event reports that a process begins to listen: sock_diag(7) has
 * multicast groups only for destroyed sockets, and the audit system belongs to the administrator (decisions/0064).
 */
const lookMs = 5_000;
/**
 * Interval at which the list of sockets is read even if the numbers of sockets have not changed. One socket may have
 * ended while another began to listen. Reading the list takes up to 10 ms on a machine with much memory, because its
 * table of connections is large.
 */
const readMs = 20_000;

/**
 * Calls `onNews` after a change of the listening sockets at ports that services may use. The returned function ends the
 * watch.
 */
export function followListeners(places: Pick<OverlayPlaces, 'exposure'>, onNews: () => void): () => void {
  const hasNews = createListenerCheck(socketCounts, () => {
    try {
      return JSON.stringify(listenersBesideServices(places));
    } catch (error) {
      // A failure to read the sockets is not reported here. It also occurs when the flows of services are installed,
      // and is reported then.
      if (isAgentError(error)) return null;
      throw error;
    }
  });
  const timer = setInterval(() => {
    if (hasNews()) onNews();
  }, lookMs);
  return () => clearInterval(timer);
}

/**
 * Creates a check that returns true if the listeners have changed since the previous check. `counts` returns the
 * numbers of sockets, null if they are unknown; `read` returns the listeners. A check calls `read` if the numbers have
 * changed or are unknown; every fourth check calls it in any case.
 */
export function createListenerCheck(counts: () => string | null, read: () => string | null): () => boolean {
  // The numbers of sockets are read before the listeners, so that the next check notices a socket that appears between
  // the two reads.
  let [counted, listeners, skipped] = [counts(), read(), 0];
  return () => {
    const now = counts();
    skipped += 1;
    if (now !== null && now === counted && skipped < readMs / lookMs) return false;
    const before = listeners;
    [counted, listeners, skipped] = [now, read(), 0];
    return listeners !== before;
  };
}
