import { stoppable } from '../../stoppable.ts';
import { applyOverlay, restoreOverlay } from '../node/apply-overlay.ts';
import { notRestored } from '../record/not-restored.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { type CentralRecord, writeRecord } from '../record/record.ts';
import type { Begun } from './init-overlay.ts';

/**
 * Writes the record of the central node, and then the rows and flows that differ. `prove` returns the work that is left
 * to other nodes. Rolls back after a failure and after a signal. A rollback writes the earlier record first, so that
 * the next run or the daemon can complete an interrupted rollback.
 */
export function changeCluster(
  before: CentralRecord,
  wanted: CentralRecord,
  places: OverlayPlaces,
  say: (step: string) => void,
  prove: (stop: AbortSignal) => Promise<readonly string[]> = async () => [],
): Promise<Begun> {
  return stoppable(say, async (stop) => {
    // The waits of the rollback do not get the stop signal, so that a signal does not end the rollback.
    const forward = { ...places, stop };
    writeRecord(places.record, wanted);
    try {
      const changes = await applyOverlay(wanted, forward, say);
      const left = await prove(stop);
      return { record: wanted, changes: { ...changes, faults: [...changes.faults, ...left] } };
    } catch (error) {
      say('rolling back');
      try {
        writeRecord(places.record, before);
        await restoreOverlay(before, places, say);
      } catch (second) {
        throw notRestored(error, second, 'run `microshift-net overlay apply` once the cause is fixed');
      }
      throw error;
    }
  });
}
