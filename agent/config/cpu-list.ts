/** Largest number of CPUs for which a kernel can be built (Linux arch/x86/Kconfig, NR_CPUS_RANGE_END on x86_64). */
const maxCpus = 8192;

/**
 * Returns a list in the notation of systemd and the kernel: `0-1,4`. Spaces, which systemd also accepts as separators,
 * become commas.
 */
export function normalizeCpuList(list: string): string {
  return list.split(/[, ] ?/).join(',');
}

/** Returns the reason why a list in the form of a CPU list is invalid; null if it is valid. */
export function cpuListFault(list: string): string | null {
  for (const range of normalizeCpuList(list).split(',')) {
    const [first = '0', last = first] = range.split('-');
    if (Number(last) >= maxCpus || Number(first) >= maxCpus) return `CPU ${range} is above ${maxCpus - 1}`;
    if (Number(last) < Number(first)) return `the range ${range} ends before it starts`;
  }
  return null;
}
