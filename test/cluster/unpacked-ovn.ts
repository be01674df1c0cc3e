import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasProgram } from './binaries.ts';
import { cacheRoot } from './cache.ts';

const cache = join(cacheRoot, 'ovn');
const packages = ['ovn-common', 'ovn-central', 'ovn-host'];

/** Why the containers' scripts cannot be run with a real OVN here; null: they can. */
export function missingForOvn(): string | null {
  if (process.getuid?.() !== 0) return 'namespaces and mounts need root';
  const programs = ['unshare', 'ovsdb-server', ...(existsSync(cache) ? [] : ['apt-get', 'dpkg'])];
  const absent = programs.find((name) => !hasProgram(name, '--version'));
  return absent === undefined ? null : `${absent} is missing`;
}

/** Debian's OVN, unpacked but not installed: nothing of it may start on the machine that tests. */
export function unpackedOvn(): string {
  if (existsSync(cache)) return cache;
  const temporary = mkdtempSync(join(tmpdir(), 'microshift-net-ovn-'));
  try {
    download(temporary);
    const files = join(temporary, 'files');
    for (const file of readdirSync(temporary)) execFileSync('dpkg', ['-x', file, files], { cwd: temporary });
    // Its lib/ would hide the host's, which is a link to usr/lib.
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

/** Package lists are fetched only when the ones at hand do not do. */
function download(folder: string): void {
  const aptGet = (...words: string[]): void => {
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
