import { isAgentError } from '../../../errors.ts';
import { listenersBesideServices } from '../occupied.ts';
import type { OverlayPlaces } from '../places.ts';

/**
 * No event says that a process begins to listen: sock_diag(7) has multicast groups for sockets that are destroyed only, and audit belongs to the
 * administrator (decisions/0063). A look costs well under a millisecond, and a port is at most so long with a service when a process wants it.
 */
const lookMs = 5_000;

/** Calls back when other sockets than before listen at ports that services could have, until the function that it returns is called. */
export function followListeners(places: Pick<OverlayPlaces, 'exposure'>, onNews: () => void): () => void {
  const textNow = (): string | null => {
    try {
      return JSON.stringify(listenersBesideServices(places));
    } catch (error) {
      // Whoever makes flows meets the same failure, and reports it.
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
