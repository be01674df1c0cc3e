import { readSmallFile } from './files.ts';

/** True in a service whose name begins so; control groups are named after units (systemd.unit(5)). */
export function runsInUnit(prefix: string, path = '/proc/self/cgroup'): boolean {
  const groups = (readSmallFile(path) ?? '').split('\n').flatMap((line) => line.split('/').at(-1) ?? []);
  return groups.some((name) => name.startsWith(prefix) && name.endsWith('.service'));
}
