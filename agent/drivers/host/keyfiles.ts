import { readdirSync } from 'node:fs';
import { readSmallFile } from './files.ts';

/** A profile with every certificate in it; more is not one. */
const profileLimitBytes = 256 * 1024;

/** A profile of NetworkManager in its file; the text may hold secrets. */
export interface Keyfile {
  readonly path: string;
  readonly id: string;
  readonly uuid: string;
  readonly text: string;
}

/** The profiles in directories of NetworkManager, for when it does not run to be asked. A directory that is not there has none. */
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
