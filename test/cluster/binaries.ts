import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheRoot } from './cache.ts';
import { missingGo, newGo } from './go.ts';

/** The folder with go.mod; this file runs from build/test/cluster. */
const moduleFolder = join(import.meta.dirname, '../../../test/cluster');
const cacheFolder = join(cacheRoot, 'kube');

/** A registry that answers slowly must not hold a test run for ever. */
const buildLimitMs = 25 * 60_000;

/** Why there can be no API server here; null: there can. */
export function missingParts(): string | null {
  const missing = missingPrograms();
  if (missing !== null || isBuilt()) return missing;
  return missingGo() ?? 'kube-apiserver is not built: node build/test/cluster/prepare.js';
}

/** Which program this machine lacks to run an API server; null: none. */
export function missingPrograms(): string | null {
  if (!hasProgram('etcd', '--version')) return 'etcd is missing (package etcd-server)';
  return hasProgram('openssl', 'version') ? null : 'openssl is missing';
}

export function isBuilt(): boolean {
  return Object.values(builtBinaries()).every((path) => existsSync(path));
}

/** Where Kubernetes' own programs are once prepare.js has built them, and the one that the pods of tests run. */
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

/** Builds them, which takes minutes; never part of a test, whose time is limited. */
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
    // Without C, so that it runs in an image that has nothing else in it.
    goBuild(['-ldflags', '-s -w', '-o', `${temporary}/`, './in-pod'], { CGO_ENABLED: '0' });
    // By rename, so that a build that was cut off or runs twice never leaves half a folder.
    if (!isBuilt()) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function goBuild(words: readonly string[], environment: Readonly<Record<string, string>> = {}): void {
  execFileSync('nice', ['-n', '19', newGo() ?? 'go', 'build', '-trimpath', '-buildvcs=false', ...words], {
    cwd: moduleFolder,
    // The messages are a line per fetched module; they are shown when it fails, as part of the error.
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: buildLimitMs,
    // A distribution's Go downloads a newer Go only with this setting.
    env: { ...process.env, GOTOOLCHAIN: process.env.GOTOOLCHAIN ?? 'auto', ...environment },
  });
}

function binaryFolder(): string {
  const content = ['go.mod', 'go.sum', 'in-pod/main.go'].map((name) => readFileSync(join(moduleFolder, name)));
  return join(cacheFolder, createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 16));
}

/** Whether a program can be started; what it answers does not matter. */
export function hasProgram(name: string, question: string): boolean {
  return spawnSync(name, [question], { stdio: 'ignore' }).error === undefined;
}
