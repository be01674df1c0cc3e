import { readdirSync } from 'node:fs';
import { readSmallFile } from './files.ts';

/** Size limit of a profile, in bytes, which is enough for a profile with embedded certificates. */
const profileLimitBytes = 256 * 1024;

/** NetworkManager profile as it is in its file. The text may contain secrets. */
export interface Keyfile {
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  readonly text: string;
}

/**
 * Reads the profiles in directories of NetworkManager, for use while NetworkManager is not running. A directory that
 * cannot be read counts as empty, and a file without a UUID is left out. Fails with `config-unreadable`.
 */
export function readKeyfiles(directories: readonly string[]): readonly Keyfile[] {
  return directories.flatMap(pathsIn).flatMap((path) => {
    const text = readSmallFile(path, profileLimitBytes) ?? '';
    const value = (key: string): string => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
    const uuid = value('uuid');
    return uuid === '' ? [] : [{ path, id: value('id'), uuid, text }];
  });
}

function pathsIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.nmconnection'))
      .map((entry) => `${directory}/${entry.name}`);
  } catch {
    return [];
  }
}
