import { readHost } from '../../../facts/overlay-host.ts';
import type { Config } from '../../../model/config.ts';
import { createEventBatch } from '../loop/event-batch.ts';
import { furtherAddressesNow, hostCidrsNow } from '../node/occupied-places.ts';
import { withOwnAddress } from '../node/own-address.ts';
import { planKernel } from '../node/planned-node.ts';
import type { OverlayPlaces } from '../record/places.ts';
import { readRecord } from '../record/record.ts';

/** Comparison of the kernel with the record after events of the kernel. */
export interface KernelLook {
  /** Requests a comparison. All calls before the comparison begins cause one comparison. */
  ask(): void;
  /** Stores the addresses that the node announces at present, for later comparisons. */
  note(): void;
  close(): void;
}

/**
 * Creates a comparison that calls `onDifference` if the kernel or the node's addresses differ from the record, or if
 * the announced addresses differ from the stored ones. Most kernel events do not concern the overlay, so the comparison
 * reads only the record and files of the kernel, and queries no database.
 */
export function createKernelLook(
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  onDifference: () => void,
): KernelLook {
  let noted = '';
  const gathered = createEventBatch(() => {
    if (differsFromRecord(config, places) || announcedText(places) !== noted) onDifference();
  });
  return {
    ask: gathered.ask,
    note: () => {
      noted = announcedText(places);
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

/** Returns the announced addresses of this node as text for a comparison; empty on a node without a record. */
function announcedText(places: Pick<OverlayPlaces, 'record'>): string {
  const record = readRecord(places.record);
  if (record === null) return '';
  return [...furtherAddressesNow(record.node, record.layout), ...hostCidrsNow(record.node, record.layout)].join();
}
