import { isAgentError } from '../../../errors.ts';
import { listenersBesideServices } from '../node/occupied-places.ts';
import type { OverlayPlaces } from '../record/places.ts';

/**
 * Interval of the check for listening sockets. No event reports that a process begins to listen: sock_diag(7) has
 * multicast groups only for destroyed sockets, and audit belongs to the administrator (decisions/0063). A check takes
 * well under a millisecond, and a port that a process wants stays with a service for at most this long.
 */
const lookMs = 5_000;

/**
 * Calls `onNews` when the listening sockets at ports that services could have change, until the returned function is
 * called.
 */
export function followListeners(places: Pick<OverlayPlaces, 'exposure'>, onNews: () => void): () => void {
  const textNow = (): string | null => {
    try {
      return JSON.stringify(listenersBesideServices(places));
    } catch (error) {
      // The function that installs the flows gets the same failure and reports it.
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
