import { monotonicMs } from '../../../deadline.ts';

/** Something that is done after events, and once for several of them. */
export interface Gathered {
  ask(): void;
  /** Nothing is done any more. */
  close(): void;
}

/** One command of an admin is several events: what comes within a tenth of a second is one. */
const gatherMs = 100;
/** Each pod brings a dozen events of links. Looking after them may cost a tenth of the time, however long a look takes. */
const restPerLook = 9;

/** Does `look` a tenth of a second after the first event, and again for what comes meanwhile. */
export function createGathered(look: () => void): Gathered {
  let timer: NodeJS.Timeout | undefined;
  let restMs = gatherMs;
  const run = (): void => {
    timer = undefined;
    const beganMs = monotonicMs();
    look();
    restMs = Math.max(gatherMs, restPerLook * (monotonicMs() - beganMs));
  };
  return {
    ask: () => {
      timer ??= setTimeout(run, restMs);
    },
    close: () => clearTimeout(timer),
  };
}
