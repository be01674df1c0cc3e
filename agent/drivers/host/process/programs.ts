import { accessSync, constants, statSync } from 'node:fs';

/** Directories in which NetworkManager looks for programs (nm-core-utils.c, NM_PATHS_DEFAULT). */
const directories = ['/usr/local/sbin', '/sbin', '/usr/sbin', '/usr/local/bin', '/bin', '/usr/bin'];

/** Returns true for a program that NetworkManager would find in its directories. */
export function hasProgram(name: string): boolean {
  return directories.some((directory) => isExecutable(`${directory}/${name}`));
}

/**
 * Returns the path of the program that PATH selects (environ(7)), or the name itself if no directory of PATH has it.
 * Node.js 24 starts a process for each directory of PATH until one has the program (libuv 1.53, uv_spawn with
 * posix_spawn(3)); for a program with a path, it starts one process.
 */
export function programPath(name: string): string {
  if (name.includes('/')) return name;
  const paths = (process.env.PATH ?? '').split(':').map((directory) => `${directory}/${name}`);
  return paths.find((path) => path.startsWith('/') && isExecutable(path)) ?? name;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
