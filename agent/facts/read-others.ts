import { afterSeconds, type KernelEntries } from '../model/kernel-entries.ts';
import { type OthersPort, type OthersRecord, othersPath, uptimePath } from '../model/others.ts';

/**
 * Reads the entries and ports that other programs had on the agent's bridges at the last run; empty if no run has
 * recorded any since the boot, or if the file that records them does not have the agent's format. The lifetimes of the
 * entries are reduced by the time since that run. Entries whose lifetime is over are left out, because the kernel
 * itself has removed them.
 */
export function readOthers(fileText: (path: string) => string | null): readonly OthersRecord[] {
  try {
    const list: unknown = JSON.parse(fileText(othersPath) ?? '[]');
    return Array.isArray(list) ? list.filter(isRecord).map((record) => aged(record, fileText)) : [];
  } catch {
    return [];
  }
}

function aged(record: OthersRecord, fileText: (path: string) => string | null): OthersRecord {
  const { uptimeSeconds, ...rest } = record;
  if (uptimeSeconds === undefined) return record;
  const elapsed = Number.parseFloat(fileText(uptimePath) ?? '') - uptimeSeconds;
  return { ...rest, entries: afterSeconds(record.entries, Math.max(0, Math.round(elapsed)) || 0) };
}

function isRecord(value: unknown): value is OthersRecord {
  if (typeof value !== 'object' || value === null) return false;
  const { bridge, index, entries, ports, lostPorts } = value as Record<string, unknown>;
  const isListed = isPorts(ports) && isPorts(lostPorts);
  return typeof bridge === 'string' && typeof index === 'number' && isEntries(entries) && isListed;
}

function isEntries(value: unknown): value is KernelEntries {
  if (typeof value !== 'object' || value === null) return false;
  const { interface: name, addresses, routes, neighbours } = value as Record<string, unknown>;
  return typeof name === 'string' && [addresses, routes, neighbours].every((list) => Array.isArray(list));
}

function isPorts(value: unknown): value is readonly OthersPort[] {
  return (
    Array.isArray(value) && value.every((port) => typeof port?.name === 'string' && typeof port.isDevice === 'boolean')
  );
}
