/**
 * A Go that can build kube-apiserver: the machine's own, or, where Debian's is too old for that, the release pinned
 * here, which the old one fetches as the module golang.org/toolchain. So proxy and credentials are those the machine is
 * set up with.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';

/** Go that is older does not fetch the release that a go.mod asks for by itself. */
const oldestGo = [1, 21] as const;
const release = 'go1.26.8';
/** Hashes as in a go.sum, by Node's name of the processor. */
const releaseHashes: Record<string, { goName: string; hash: string }> = {
  x64: { goName: 'amd64', hash: 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=' },
  arm64: { goName: 'arm64', hash: 'h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=' },
};
/** 75 MB; a proxy that answers slowly must not hold a test run for ever. */
const fetchLimitMs = 5 * 60_000;
const folder = join(cacheRoot, 'go', release);
const fetchedGo = join(folder, 'bin/go');

/** The go command to build with; null if it does not exist yet. */
export function newGo(): string | null {
  const version = versionOf('go');
  if (version !== null && isNewEnough(version)) return 'go';
  return versionOf(fetchedGo) === release ? fetchedGo : null;
}

/** Why there is no go command to build with; null: there is one. */
export function missingGo(): string | null {
  if (newGo() !== null) return null;
  const version = versionOf('go');
  if (version === null) return 'Go is missing, which builds kube-apiserver (package golang-go)';
  return `${version} is too old to build kube-apiserver, and ${release} is not fetched: node build/test/cluster/prepare.js`;
}

/**
 * Fetches the pinned release into the cache, where the machine has only an older Go. Gives why that cannot be done here
 * (no Go at all, no pin for this processor, no proxy that answers), null when it is done or not needed. Throws when
 * what came is not what is pinned.
 */
export function fetchGo(): string | null {
  if (newGo() !== null || versionOf('go') === null) return missingGo();
  const pin = releaseHashes[process.arch];
  if (pin === undefined) return `${missingGo()}; no Go for ${process.arch} is pinned`;
  const name = `golang.org/toolchain@v0.0.1-${release}.linux-${pin.goName}`;
  mkdirSync(join(cacheRoot, 'go'), { recursive: true });
  const temporary = mkdtempSync(join(cacheRoot, 'go', 'fetch-'));
  try {
    const fetched = download(temporary, name);
    if ('problem' in fetched)
      return `${versionOf('go')} is too old and ${release} cannot be fetched: ${fetched.problem}`;
    if (fetched.hash !== pin.hash) throw new Error(`${name} has the hash ${fetched.hash}; pinned is ${pin.hash}`);
    makeExecutable(fetched.folder);
    // By rename, so that half a release is never taken for one.
    rmSync(folder, { recursive: true, force: true });
    renameSync(fetched.folder, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return missingGo();
}

/** Where Go unpacked a module and its hash, or what it said instead. */
function download(cache: string, name: string): { folder: string; hash: string } | { problem: string } {
  writeFileSync(join(cache, 'go.mod'), 'module toolchain\n');
  const { stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', name], {
    cwd: cache,
    encoding: 'utf8',
    timeout: fetchLimitMs,
    env: { ...process.env, GOMODCACHE: join(cache, 'modules'), GOFLAGS: '-modcacherw' },
  });
  if (error !== undefined) return { problem: error.message };
  if (!stdout.startsWith('{')) return { problem: stderr.trim() };
  const answer = JSON.parse(stdout) as { Dir?: string; Sum?: string; Error?: string };
  if (answer.Dir === undefined || answer.Sum === undefined) return { problem: answer.Error ?? stderr.trim() };
  return { folder: answer.Dir, hash: answer.Sum };
}

/** A module's files are never executable; Go that knows of toolchains does the same. */
function makeExecutable(root: string): void {
  for (const path of ['bin', 'pkg/tool']) {
    const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

/** As in go1.26.8; null: it cannot be run. */
function versionOf(command: string): string | null {
  if (command !== 'go' && !existsSync(command)) return null;
  // Elsewhere than here: the folder's go.mod would have a newer Go fetch another one first.
  const { error, stdout } = spawnSync(command, ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8' });
  return error === undefined && stdout.startsWith('go') ? stdout.trim() : null;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  return major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1]);
}
