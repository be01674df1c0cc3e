import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The folder with go.mod; this file runs from build/test/cluster. */
const moduleFolder = join(import.meta.dirname, '../../../test/cluster');
/** What takes long to make is kept here between runs. */
export const cacheRoot = process.env.MICROSHIFT_NET_CACHE ?? '/var/cache/microshift-net';
const cacheFolder = join(cacheRoot, 'kube');

/** Why there can be no API server here; null: there can. */
export function missingParts(): string | null {
  if (existsSync(join(binaryFolder(), 'kube-apiserver')))
    return hasProgram('etcd') ? null : 'etcd is missing (package etcd-server)';
  if (!hasProgram('go')) return 'Go is missing, which builds kube-apiserver';
  return hasProgram('etcd') ? null : 'etcd is missing (package etcd-server)';
}

/** The built kube-apiserver and kubectl; builds them the first time, which takes minutes. */
export function builtBinaries(): { kubeApiserver: string; kubectl: string } {
  const folder = binaryFolder();
  const binaries = { kubeApiserver: join(folder, 'kube-apiserver'), kubectl: join(folder, 'kubectl') };
  if (existsSync(binaries.kubeApiserver) && existsSync(binaries.kubectl)) return binaries;
  process.stderr.write(`# building kube-apiserver into ${folder}, about 6 minutes on two cores\n`);
  mkdirSync(cacheFolder, { recursive: true });
  const temporary = mkdtempSync(join(cacheFolder, 'build-'));
  try {
    const version = /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(moduleFolder, 'go.mod'), 'utf8'))?.[1];
    const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`;
    const packages = ['kube-apiserver', 'kubectl'].map((name) => `k8s.io/kubernetes/cmd/${name}`);
    const words = [
      'build',
      '-trimpath',
      '-buildvcs=false',
      '-p=2',
      '-ldflags',
      flags,
      '-o',
      `${temporary}/`,
      ...packages,
    ];
    execFileSync('nice', ['-n', '19', 'go', ...words], { cwd: moduleFolder, stdio: ['ignore', 'ignore', 'inherit'] });
    // By rename, so that a build that was cut off or runs twice never leaves half a folder.
    if (!existsSync(folder)) renameSync(temporary, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return binaries;
}

function binaryFolder(): string {
  const content = ['go.mod', 'go.sum'].map((name) => readFileSync(join(moduleFolder, name)));
  return join(cacheFolder, createHash('sha256').update(Buffer.concat(content)).digest('hex').slice(0, 16));
}

function hasProgram(name: string): boolean {
  return spawnSync(name, ['version'], { stdio: 'ignore' }).error === undefined;
}
