import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { missingGo, newGo } from './go.ts';

/** Folder with go.mod. This file runs from build/test/cluster. */
const moduleFolder = join(import.meta.dirname, '../../../test/cluster');
const cacheFolder = join(cacheRoot, 'kube');

/** Limit of a build, so that a registry that answers slowly does not block a test run. */
const buildLimitMs = 25 * 60_000;

/** Returns the reason why this machine cannot run an API server; null if it can. */
export function missingParts(): string | null {
  const missing = missingPrograms();
  if (missing !== null || isBuilt()) return missing;
  return missingGo() ?? 'kube-apiserver is not built: node build/test/cluster/prepare.js';
}

/** Returns the name of a program that this machine lacks to run an API server; null if it lacks none. */
export function missingPrograms(): string | null {
  if (!hasProgram('etcd', '--version')) return 'etcd is missing (package etcd-server)';
  return hasProgram('openssl', 'version') ? null : 'openssl is missing';
}

export function isBuilt(): boolean {
  return Object.values(builtBinaries()).every((path) => existsSync(path));
}

/**
 * Returns the folder of Kubernetes' own programs, and of the program that pods of tests run, after prepare.js has built
 * them.
 */
export function builtBinaries() {
  const folder = binaryFolder();
  return {
    kubeApiserver: join(folder, 'kube-apiserver'),
    kubeControllerManager: join(folder, 'kube-controller-manager'),
    kubeScheduler: join(folder, 'kube-scheduler'),
    kubectl: join(folder, 'kubectl'),
    kubelet: join(folder, 'kubelet'),
    inPod: join(folder, 'in-pod'),
  } as const;
}

/** Builds the programs, which takes minutes. Only prepare.js calls this function, because tests have a time limit. */
export function buildBinaries(): void {
  const folder = binaryFolder();
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder, 'build-'));
  try {
    const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(moduleFolder, 'go.mod'), 'utf8'))?.[1];
    const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
    const kubernetes = Object.values(builtBinaries())
      .map((path) => `k8s.io/kubernetes/cmd/${basename(path)}`)
      .filter((name) => !name.endsWith('/in-pod'));
    goBuild(['-p=2', '-ldflags', flags, '-o', `${temporary}/`, ...kubernetes]);
    // The program is built without C, so that it runs in an image that contains nothing else.
    goBuild(['-ldflags', '-s -w', '-o', `${temporary}/`, './in-pod'], { CGO_ENABLED: '0' });
    // The folder gets its name at the end, so that an interrupted or repeated build never leaves an incomplete folder.
    if (!isBuilt()) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function goBuild(words: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  execFileSync('nice', ['-n', '19', newGo() ?? 'go', 'build', '-trimpath', '-buildvcs=false', ...words], {
    cwd: moduleFolder,
    // Go prints a line per fetched module; the lines are part of the error if the build fails.
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: buildLimitMs,
    // Debian's Go downloads a newer Go only with this setting.
    env: { ...process.env, GOTOOLCHAIN: process.env.GOTOOLCHAIN ?? 'auto', ...environment },
  });
}

function binaryFolder(): string {
  const content = ['go.mod', 'go.sum', 'in-pod/main.go'].map((name) => readFileSync(join(moduleFolder, name)));
  return join(cacheFolder, createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 16));
}

/** Returns true if a program can be started, regardless of its exit code. */
export function hasProgram(name: string, question: string): boolean {
  return spawnSync(name, [question], { stdio: 'ignore' }).error === undefined;
}
