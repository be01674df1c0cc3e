import { readSmallFile } from '../files/files.ts';

/**
 * Returns the name of the systemd service to which this process belongs; undefined outside of a service. Control groups
 * are named after units (systemd.unit(5)).
 */
export function ownService(path = '/proc/self/cgroup'): string | undefined {
  const groups = (readSmallFile(path) ?? '').split('\n').flatMap((line) => line.split('/').at(-1) ?? []);
  return groups.find((name) => name.endsWith('.service'));
}
