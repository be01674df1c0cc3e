import { CniError, cniCode } from './error.ts';

/** Oldest first. Before 0.3.0 a result was of another form; 0.3.0 itself is 0.3.1 with a mistake in it. */
export const cniVersions = ['0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

export type CniVersion = (typeof cniVersions)[number];

/** What a version of a configuration brought with it. */
export function isAtLeast(version: CniVersion, since: CniVersion): boolean {
  return cniVersions.indexOf(version) >= cniVersions.indexOf(since);
}

/** The version in which a configuration is written and a result is wanted; without one it is 0.1.0. Throws code 1. */
export function readVersion(value: unknown): CniVersion {
  const found = cniVersions.find((version) => version === value);
  if (found !== undefined) return found;
  throw new CniError(
    cniCode.incompatibleVersion,
    `CNI version ${typeof value === 'string' ? value : '0.1.0'} is not supported`,
    `supported: ${cniVersions.join(', ')}`,
  );
}
