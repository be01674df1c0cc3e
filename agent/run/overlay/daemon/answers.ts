import { announce } from '../node/announce.ts';
import { withhold, withholdNothing } from '../node/withhold.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { createAnnouncements } from './announcements.ts';
import type { Answered } from './service-watch.ts';
import { createWithheld } from './withheld.ts';

/** Control of the service addresses for which this node's gateway answers on its LAN. */
export interface Answers {
  /**
   * Announces the addresses for which this gateway has to answer from now on. Makes the bridge drop the gateway's
   * answers for the addresses of other gateways and nodes.
   */
  know(answered: Answered): void;
  /** Tries again at once to write the flows that drop answers, and to send the announcements that failed. */
  again(): void;
  /**
   * Removes the flows that drop answers, because the gateway has to answer for an address that moves to it while no
   * daemon is running. Settles when the flows are removed, or when the bridge does not answer.
   */
  close(): Promise<void>;
}

export function createAnswers(places: OverlayPlaces): Answers {
  const announcements = createAnnouncements((addresses) => announce(addresses, places));
  let bridge: string | null = null;
  const withheld = createWithheld(async (addresses) => {
    const now = await withhold(addresses, places);
    if (bridge !== null && bridge !== now) await withholdNothing(bridge, places);
    bridge = now;
  });
  return {
    know: ({ announced, elsewhere }) => {
      withheld.know(elsewhere);
      announcements.know(announced);
    },
    again: () => {
      withheld.again();
      announcements.again();
    },
    close: async () => {
      announcements.close();
      await withheld.close();
      if (bridge !== null) await withholdNothing(bridge, places);
    },
  };
}
