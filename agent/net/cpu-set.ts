/**
 * Returns the CPUs of a list in the notation of the kernel or systemd (`0-1,4`, `0 1 4`), ascending; an empty list for
 * an empty text.
 */
export function parseCpuList(list: string): readonly number[] {
  const cpus = new Set<number>();
  for (const range of list.split(/[,\s]+/).filter((part) => part !== '')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].toSorted((a, b) => a - b);
}

/** Returns the shortest list of these CPUs, which are in ascending order, in the notation of the kernel. */
export function formatCpuList(cpus: readonly number[]): string {
  const ranges: string[] = [];
  for (let start = 0; start < cpus.length; ) {
    let end = start;
    while (cpus[end + 1] === (cpus[end] ?? 0) + 1) end += 1;
    ranges.push(start === end ? `${cpus[start]}` : `${cpus[start]}-${cpus[end]}`);
    start = end + 1;
  }
  return ranges.join(',');
}

/** Returns a list in its shortest form, so that equal sets of CPUs have equal texts. */
export function canonicalCpuList(list: string): string {
  return formatCpuList(parseCpuList(list));
}
