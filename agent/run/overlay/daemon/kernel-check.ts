import { readHost } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import { createEventBatch } from '../loop/event-batch.ts';
import { furtherAddressesNow } from '../node/occupied-places.ts';
import { withOwnAddress } from '../node/own-address.ts';
import { planKernel } from '../node/planned-node.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';

/** Examination of the kernel after its events. */
export interface KernelLook {
  /** Examines the kernel soon, once for all calls until then. */
  ask(): void;
  /** Notes the further addresses of the node, which a run announces that begins now. */
  note(): void;
  close(): void;
}

/**
 * Calls `onDifference` if the kernel or the node's addresses differ from the record, or the further addresses from those
 * that were noted. Most kernel events do not concern the overlay; an examination reads only files of the kernel and
 * queries no database.
 */
export function createKernelLook(
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  onDifference: () => void,
): KernelLook {
  let noted = '';
  const gathered = createEventBatch(() => {
    if (differsFromRecord(config, places) || furtherText(places) !== noted) onDifference();
  });
  return {
    ask: gathered.ask,
    note: () => {
      noted = furtherText(places);
    },
    close: gathered.close,
  };
}

function differsFromRecord(config: Pick<Config, 'overlay' | 'cluster'>, places: OverlayPlaces): boolean {
  const record = readRecord(places.record);
  if (record === null) return true;
  const host = readHost();
  return planKernel(record, host).length > 0 || withOwnAddress(record, config, host) !== record;
}

/** Returns the further addresses of this node as one text; empty on a node without a record. */
function furtherText(places: Pick<OverlayPlaces, 'record'>): string {
  const record = readRecord(places.record);
  return record === null ? '' : furtherAddressesNow(record.node, record.layout).join();
}
