import { accessSync, constants } from 'node:fs';

/** Directories in which NetworkManager looks for programs (nm-core-utils.c, NM_PATHS_DEFAULT). */
const directories = ['/usr/local/sbin', '/sbin', '/usr/sbin', '/usr/local/bin', '/bin', '/usr/bin'];

/** True for a program that NetworkManager would find in its directories. */
export function hasProgram(name: string): boolean {
  return directories.some((directory) => isExecutable(`${directory}/${name}`));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
