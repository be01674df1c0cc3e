/** The kernel is built for at most this many CPUs (NR_CPUS of the x86_64 and arm64 server kernels). */
const maxCpus = 8192;

/** The list as systemd and the kernel write it: `0-1,4`; blanks, which systemd also takes for separators, become commas. */
export function normalizeCpuList(list: string): string {
  return list.split(/[, ] ?/).join(',');
}

/** Why a list that has the form of a CPU list cannot be meant; null: it can. */
export function cpuListFault(list: string): string | null {
  for (const range of normalizeCpuList(list).split(',')) {
    const [first = '0', last = first] = range.split('-');
    if (Number(last) >= maxCpus || Number(first) >= maxCpus) return `CPU ${range} is above ${maxCpus - 1}`;
    if (Number(last) < Number(first)) return `the range ${range} ends before it starts`;
  }
  return null;
}
