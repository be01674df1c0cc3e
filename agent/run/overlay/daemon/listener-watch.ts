import { isAgentError } from '../../../errors.ts';
import { listenersBesideServices } from '../node/occupied-places.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Interval at which listening sockets are checked. No event reports that a process begins to listen: sock_diag(7) has
 * multicast groups only for destroyed sockets, and the audit system belongs to the administrator (decisions/0063). A
 * check takes well under a millisecond. A service keeps a port at which a process has begun to listen for at most this
 * long.
 */
const lookMs = 5_000;

/**
 * Calls `onNews` when the listening sockets at ports that services may use have changed, until the returned function is
 * called.
 */
export function followListeners(places: Pick<OverlayPlaces, 'exposure'>, onNews: () => void): () => void {
  const textNow = (): string | null => {
    try {
      return JSON.stringify(listenersBesideServices(places));
    } catch (error) {
      // The same failure occurs when the flows are installed, and is reported then.
      if (isAgentError(error)) return null;
      throw error;
    }
  };
  let before = textNow();
  const timer = setInterval(() => {
    const now = textNow();
    if (now === before) return;
    before = now;
    onNews();
  }, lookMs);
  return () => clearInterval(timer);
}
