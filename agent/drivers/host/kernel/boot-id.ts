import { readSmallFile } from '../files/files.ts';

/**
 * Returns the id of this boot, which changes with every boot of the kernel (random(4), boot_id); empty if the kernel
 * does not provide it.
 */
export function currentBootId(): string {
  return readSmallFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}
