import { announce } from '../node/announce.ts';
import { withhold, withholdNothing } from '../node/withhold.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { createAnnouncements } from './announcements.ts';
import type { Answered } from './service-watch.ts';
import { createWithheld } from './withheld.ts';

/** Answers of this node's gateway for outside addresses of services. */
export interface Answers {
  /** Sets the addresses: withholds the answers for those of other gateways, and announces new ones of this gateway. */
  know(answered: Answered): void;
  /** Repeats what could not be done before. */
  again(): void;
  /** Settles when the write in progress has ended. */
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
    close: () => {
      announcements.close();
      return withheld.close();
    },
  };
}
