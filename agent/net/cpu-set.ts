/** The CPUs of a list as the kernel and systemd write it (`0-1,4`, `0 1 4`), ascending; empty for an empty list. */
export function parseCpuList(list: string): readonly number[] {
  const cpus = new Set<number>();
  for (const range of list.split(/[,\s]+/).filter((part) => part !== '')) {
    const [first = 0, last = first] = range.split('-').map(Number);
    for (let cpu = first; cpu <= last; cpu += 1) cpus.add(cpu);
  }
  return [...cpus].toSorted((a, b) => a - b);
}

/** The shortest list of these CPUs, as the kernel writes it. */
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

/** A list in its shortest form, so that two lists of the same CPUs are the same text. */
export function canonicalCpuList(list: string): string {
  return formatCpuList(parseCpuList(list));
}
