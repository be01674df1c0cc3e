import { readSmallFile } from './files.ts';

/** Changes with every boot of the kernel (random(4), boot_id). Empty where the kernel does not tell. */
export function currentBootId(): string {
  return readSmallFile('/proc/sys/kernel/random/boot_id')?.trim() ?? '';
}
