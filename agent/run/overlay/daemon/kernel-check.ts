import { readLinks } from '../../../drivers/host/kernel/links.ts';
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
  /**
   * Stores the addresses that the node announces at present, and the present devices of these interfaces. Later
   * comparisons compare with the stored state.
   */
  note(): void;
  /** Sets the names of the interfaces that lead to hosts that are not pods, and of the VXLAN devices for peers. */
  know(devices: readonly string[]): void;
  close(): void;
}

/**
 * Creates a comparison that calls `onDifference` if the kernel or the node's addresses differ from the record, or if
 * the announced addresses or the present devices differ from the stored ones. Most kernel events do not
 * concern the overlay, so the comparison reads only the record and files of the kernel, and queries no database.
 */
export function createKernelLook(
  config: Pick<Config, 'overlay' | 'cluster'>,
  places: OverlayPlaces,
  onDifference: () => void,
): KernelLook {
  let noted = '';
  let devices: readonly string[] = [];
  const present = (): string => `${announcedText(places)} ${devicesText(devices)}`;
  const gathered = createEventBatch(() => {
    if (differsFromRecord(config, places) || present() !== noted) onDifference();
  });
  return {
    ask: gathered.ask,
    note: () => {
      noted = present();
    },
    know: (names) => {
      devices = names;
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

/** Returns the indexes of the present devices of interfaces as text for a comparison. A new device has a new index. */
function devicesText(names: readonly string[]): string {
  if (names.length === 0) return '';
  return readLinks()
    .flatMap(({ name, index }) => (names.includes(name) ? [`${name}=${index}`] : []))
    .join();
}
