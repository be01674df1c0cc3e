import { existsSync } from 'node:fs';
import { removeFile } from '../../../drivers/host/files/files.ts';
import { failedThen } from '../../../failures.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { applyOverlay, refuseOpenListeners, refuseOtherOvn } from '../node/apply-overlay.ts';
import { withPlan } from '../node/planned-node.ts';
import { askController, ensureCentral, startController } from '../ovn/ovn-daemons.ts';
import { reportingSystemd, withUnits } from '../ovn/ovn-units.ts';
import { notRestored } from '../record/not-restored.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { removeRecord, writeRecord } from '../record/record.ts';
import { removeRows } from './undo-rows.ts';

/**
 * Makes a node part of an overlay. First starts the central daemons if this node has to run them, and checks whether
 * the node has to be refused. Then calls `prepare`, which installs the certificates. Finally changes the databases and
 * the kernel. After a failure, rolls the changes back, and restores the earlier state of the units that were started.
 * `places.stop` ends the waits and causes the same rollback. `files` are the files that the rollback removes, unless
 * they existed before.
 */
export function attempt(
  record: OverlayRecord,
  places: OverlayPlaces,
  files: readonly string[],
  prepare: () => Promise<void>,
  say: (step: string) => void,
): Promise<OverlayChanges> {
  return withUnits(
    places,
    async () => {
      if (record.members !== null) await ensureCentral(places, say);
      return attemptRows(record, places, files, prepare, say);
    },
    reportingSystemd(say),
  );
}

async function attemptRows(
  record: OverlayRecord,
  forward: OverlayPlaces,
  files: readonly string[],
  prepare: () => Promise<void>,
  say: (step: string) => void,
): Promise<OverlayChanges> {
  // The waits of the rollback do not get the stop signal, so that a signal does not end the rollback.
  const { stop, ...places } = forward;
  const before = await withPlan(record, forward, async (planned) => {
    refuseOtherOvn(planned);
    refuseOpenListeners(planned);
    return planned.databases.map(({ plan, rows }) => ({ plan, rows }));
  });
  const made = files.filter((file) => !existsSync(file));
  const removeFiles = (): void => {
    for (const file of made) removeFile(file);
  };
  try {
    await prepare();
    stop?.throwIfAborted();
  } catch (error) {
    throw await failedThen(error, removeFiles);
  }
  const wasRunning = (await askController(places)) !== 'absent';
  try {
    writeRecord(places.record, record);
    return await applyOverlay(record, forward, (step) => {
      stop?.throwIfAborted();
      say(step);
    });
  } catch (error) {
    say('rolling back');
    try {
      await removeRows(record, places, before);
      removeRecord(places.record);
      removeFiles();
      if (wasRunning && (await askController(places)) === 'absent') await startController(say);
    } catch (second) {
      throw notRestored(error, second, 'run `microshift-net overlay leave` once the cause is fixed');
    }
    throw error;
  }
}
