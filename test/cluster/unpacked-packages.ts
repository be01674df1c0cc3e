import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from './binaries.ts';
import { cacheRoot } from './cache.ts';

/** Set of Debian packages, and the name of its folder in the cache. */
export interface PackageSet {
  readonly name: string;
  readonly packages: readonly string[];
}

/** Returns the reason why this machine cannot get a set of packages; null if it can. */
export function missingFor({ name }: PackageSet): string | null {
  const programs = existsSync(join(cacheRoot, name)) ? [] : ['apt-get', 'dpkg'];
  const absent = programs.find((program) => !hasProgram(program, '--version'));
  return absent === undefined ? null : `${absent} is missing`;
}

/**
 * Returns the folder with the packages' files, which are unpacked but not installed, so that none of their services
 * starts on this machine.
 */
export function unpacked({ name, packages }: PackageSet): string {
  const cache = join(cacheRoot, name);
  if (existsSync(cache)) return cache;
  const temporary = mkdtempSync(join(tmpdir(), 'microshift-net-packages-'));
  try {
    download(temporary, packages);
    const files = join(temporary, 'files');
    for (const file of readdirSync(temporary)) execFileSync('dpkg', ['-x', file, files], { cwd: temporary });
    // The files are laid over a root, where a folder lib/ would hide the link from /lib to usr/lib.
    rmSync(join(files, 'lib'), { recursive: true, force: true });
    mkdirSync(cacheRoot, { recursive: true });
    rmSync(`${cache}.new`, { recursive: true, force: true });
    cpSync(files, `${cache}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${cache}.new`, cache);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return cache;
}

/** Downloads packages; fetches the package lists only if the existing lists do not contain the packages. */
function download(folder: string, packages: readonly string[]): void {
  const aptGet = (...words: readonly string[]): void => {
    execFileSync('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', ...words], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
  try {
    aptGet('download', ...packages);
  } catch {
    aptGet('update');
    aptGet('download', ...packages);
  }
}
