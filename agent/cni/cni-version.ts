import { CniError, cniCode } from './error.ts';

/**
 * Supported versions of the CNI specification, oldest first. Results before 0.3.0 had another form; 0.3.1 corrects an
 * error in 0.3.0.
 */
export const cniVersions = ['0.3.1', '0.4.0', '1.0.0', '1.1.0'] as const;

export type CniVersion = (typeof cniVersions)[number];

/** Returns true if a version has the features that were added in version `since`. */
export function isAtLeast(version: CniVersion, since: CniVersion): boolean {
  return cniVersions.indexOf(version) >= cniVersions.indexOf(since);
}

/**
 * Reads the version of a configuration and of its result; a missing version means 0.1.0. Throws a CniError with the
 * code 1 if the version is not supported.
 */
export function readVersion(value: unknown): CniVersion {
  const found = cniVersions.find((version) => version === value);
  if (found !== undefined) return found;
  throw new CniError(
    cniCode.incompatibleVersion,
    `CNI version ${typeof value === 'string' ? value : '0.1.0'} is not supported`,
    `supported: ${cniVersions.join(', ')}`,
  );
}
