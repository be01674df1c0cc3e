import { existsSync } from 'node:fs';
import { removeFile } from '../../../drivers/host/files/files.ts';
import { failedThen } from '../../../failures.ts';
import type { OverlayChanges } from '../../../model/overlay-plan.ts';
import type { OverlayRecord } from '../../../model/overlay-record.ts';
import { applyOverlay, refuseOpenListeners, refuseOtherOvn } from '../node/apply-overlay.ts';
import { withPlan } from '../node/planned-node.ts';
import { askController, ensureCentral, startController } from '../ovn/ovn-daemons.ts';
import { withUnits } from '../ovn/ovn-units.ts';
import { notRestored } from '../record/not-restored.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { removeRecord, writeRecord } from '../record/record.ts';
import { removeRows } from './undo-rows.ts';

/**
 * Makes a node part of an overlay. Refuses everything that can be refused first; then `prepare` installs the
 * certificates. Any later failure is rolled back, including the units that were started. `files` are the files that a
 * rollback removes.
 */
export function attempt(...words: Parameters<typeof attemptRows>): Promise<OverlayChanges> {
  const [record, places] = words;
  return withUnits(places, async () => {
    if (record.members !== null) await ensureCentral(places);
    return attemptRows(...words);
  });
}

async function attemptRows(
  record: OverlayRecord,
  places: OverlayPlaces,
  files: readonly string[],
  prepare: () => Promise<void>,
  say: (step: string) => void,
): Promise<OverlayChanges> {
  const before = await withPlan(record, places, async (planned) => {
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
  } catch (error) {
    throw await failedThen(error, removeFiles);
  }
  const wasRunning = (await askController(places)) !== 'absent';
  try {
    writeRecord(places.record, record);
    return await applyOverlay(record, places, say);
  } catch (error) {
    say('rolling back');
    try {
      await removeRows(record, places, before);
      removeRecord(places.record);
      removeFiles();
      if (wasRunning && (await askController(places)) === 'absent') await startController();
    } catch (second) {
      throw notRestored(error, second, 'run `microshift-net overlay leave` once the cause is fixed');
    }
    throw error;
  }
}
