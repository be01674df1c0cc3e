/**
 * Go for the build of kube-apiserver: this machine's own, or, if that is too old, a release with a pinned hash. The old
 * Go fetches the pinned release as the module golang.org/toolchain, with the machine's settings and credentials for the
 * proxy.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheRoot } from './cache.ts';

/** Oldest Go that fetches the release that a go.mod requires. */
const oldestGo = [1, 21] as const;
const release = 'go1.26.8';
/** Hash of the pinned release, as in a go.sum, and Go's name of the processor architecture, by Node's name of it. */
const releaseHashes: Record<string, { goName: string; hash: string }> = {
  x64: { goName: 'amd64', hash: 'h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM=' },
  arm64: { goName: 'arm64', hash: 'h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc=' },
};
/** Limit of the download of 75 MB, so that a proxy that answers slowly does not block a test run. */
const fetchLimitMs = 5 * 60_000;
const folder = join(cacheRoot, 'go', release);
const fetchedGo = join(folder, 'bin/go');

/** Returns the go command for the build; null if it does not exist yet. */
export function newGo(): string | null {
  const version = versionOf('go');
  if (version !== null && isNewEnough(version)) return 'go';
  return versionOf(fetchedGo) === release ? fetchedGo : null;
}

/** Returns the reason why no go command exists for the build; null if one exists. */
export function missingGo(): string | null {
  if (newGo() !== null) return null;
  const version = versionOf('go');
  if (version === null) return 'Go is missing, which builds kube-apiserver (package golang-go)';
  return `${version} is too old to build kube-apiserver, and ${release} is not fetched: node build/test/cluster/prepare.js`;
}

/**
 * Fetches the pinned release into the cache if this machine has only an older Go. Returns why this is impossible (no
 * Go, no pin for this processor, no proxy that answers), or null if it is done or unnecessary. Throws if the hash of
 * the download is not the pinned one.
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
    // The folder gets its name at the end, so that an incomplete release is never used.
    rmSync(folder, { recursive: true, force: true });
    renameSync(fetched.folder, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return missingGo();
}

/** Returns the folder into which Go has unpacked a module, with the module's hash; or the error message of Go. */
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

/** Makes the programs of a release executable, because files of a module never are; newer Go does the same. */
function makeExecutable(root: string): void {
  for (const path of ['bin', 'pkg/tool']) {
    const entries = readdirSync(join(root, path), { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) chmodSync(join(entry.parentPath, entry.name), 0o755);
  }
}

/** Returns the version of a go command, such as go1.26.8; null if the command cannot run. */
function versionOf(command: string): string | null {
  if (command !== 'go' && !existsSync(command)) return null;
  // The command runs in another folder, because the go.mod of this folder would make Go fetch another release first.
  const { error, stdout } = spawnSync(command, ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8' });
  return error === undefined && stdout.startsWith('go') ? stdout.trim() : null;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(version)?.slice(1) ?? []).map(Number);
  return major > oldestGo[0] || (major === oldestGo[0] && minor >= oldestGo[1]);
}
