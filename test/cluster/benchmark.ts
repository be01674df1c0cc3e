/**
 * `manifests apply` to a cluster where nothing changes, against `kubectl apply --server-side` of the same rendered files, in
 * turn, ten times each. Prints the medians; fails when ours is the slower one.
 * Run: node build/test/cluster/benchmark.js
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build } from 'esbuild';
import { render } from '../../agent/commands/manifests.ts';
import { defaultConfig } from '../../agent/config/defaults.ts';
import { type ApiServer, startApiServer } from './api-server.ts';
import { builtBinaries } from './binaries.ts';
import { image } from './session.ts';

const rounds = 10;

/** The command as it is shipped: one bundled file, with the reading of the configuration that comes before it. */
async function bundled(folder: string): Promise<string> {
  const agent = join(import.meta.dirname, '../../../agent');
  const contents = `
    import { apply } from '${agent}/commands/manifests.ts';
    import { loadConfig } from '${agent}/config/load.ts';
    import { readConfigFiles } from '${agent}/config/read-files.ts';
    const { config } = loadConfig(readConfigFiles('/'));
    const out = (text) => process.stdout.write(text);
    apply({ config, image: '${image}', output: 'text', out, note: out, kubeconfig: process.argv[2] }).then((code) => { process.exitCode = code; });`;
  const outfile = join(folder, 'manifests-apply.cjs');
  await build({
    stdin: { contents, resolveDir: agent },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outfile,
  });
  return outfile;
}

function milliseconds(program: string, words: readonly string[]): number {
  const start = performance.now();
  execFileSync(program, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

async function measure(server: ApiServer): Promise<boolean> {
  const kubeconfig = server.kubeconfig('admin');
  const directory = join(server.folder, 'rendered');
  await render({ config: defaultConfig, image, directory, output: 'text', out: () => {} });
  const bundle = await bundled(server.folder);
  const kubectl = [
    '--kubeconfig',
    kubeconfig,
    '--cache-dir',
    join(server.folder, 'kube-cache'),
    'apply',
    '--server-side',
  ];
  const runs = {
    'microshift-net manifests apply': () => milliseconds(process.execPath, [bundle, kubeconfig]),
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
  if (!(await measure(server))) process.exitCode = 1;
} finally {
  await server.stop();
}
