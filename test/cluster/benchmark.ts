/**
 * Benchmark of the shipped program: runs `manifests apply` and `kubectl apply --server-side` alternately, ten times
 * each, with the same rendered files on a cluster where nothing changes. Prints the medians; fails if `manifests apply`
 * is slower. Run: npm run build && node build/test/cluster/prepare.js && node build/test/cluster/benchmark.js
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { withConfigYaml } from '../config-yaml.ts';
import { median } from '../median.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { builtBinaries } from './binaries.ts';
import { ourCluster, programPath } from './program.ts';
import { image } from './session.ts';

const rounds = 10;

function milliseconds(program: string, words: readonly string[]): number {
  const [first, ...rest] = withConfigYaml(ourCluster, [program, ...words]);
  const start = performance.now();
  execFileSync(first, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  return performance.now() - start;
}

function measure(server: ApiServer): boolean {
  const kubeconfig = server.kubeconfig('admin');
  const directory = join(server.folder, 'rendered');
  const manifests = (...words: string[]): number =>
    milliseconds(programPath, ['manifests', ...words, '--image', image]);
  manifests('render', '-o', directory);
  const cache = join(server.folder, 'kube-cache');
  const kubectl = ['--kubeconfig', kubeconfig, '--cache-dir', cache, 'apply', '--server-side'];
  const runs = {
    'microshift-net manifests apply': () => manifests('apply', '--kubeconfig', kubeconfig),
    'kubectl apply --server-side': () =>
      milliseconds(builtBinaries().kubectl, [...kubectl, '--field-manager=microshift-net', '-f', directory]),
  };
  const results = Object.entries(runs).map(([name, once]) => ({ name, once, times: [] as number[] }));
  for (const { once } of results) once();
  for (let round = 0; round < rounds; round += 1) for (const { once, times } of results) times.push(once());
  for (const { name, times } of results) {
    process.stdout.write(
      `${name}: median ${median(times).toFixed(0)} ms of ${times.map((one) => one.toFixed(0)).join(' ')}\n`,
    );
  }
  const [ours = 0, theirs = 0] = results.map(({ times }) => median(times));
  process.stdout.write(`ratio ${(ours / theirs).toFixed(2)}\n`);
  return ours <= theirs;
}

const server = await startApiServer();
try {
  await server.untilReady();
  if (!measure(server)) process.exitCode = 1;
} finally {
  await server.stop();
}
