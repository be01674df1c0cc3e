// Bundles the agent into dist/: one executable file, and beside it what it loads; runs wherever Node is, without node_modules.
// CommonJS, because a file without an ending is CommonJS to Node wherever it is copied; a package.json beside it says so here.
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
rmSync('dist', { recursive: true, force: true });
mkdirSync('dist');

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  legalComments: 'external',
  define: { MICROSHIFT_NET_VERSION: JSON.stringify(version) },
  // Optional parts of dbus-next that are not used: passing file descriptors, finding a bus through X11.
  external: ['usocket', 'x11'],
  logLevel: 'warning',
};

await build({
  ...common,
  entryPoints: ['agent/main.ts'],
  outfile: 'dist/agent.cjs',
  plugins: [manifestsApart()],
});
copyFileSync('agent/launcher.cjs', 'dist/microshift-net');
chmodSync('dist/microshift-net', 0o755);
if (existsSync('agent/commands/manifests.ts')) {
  await build({ ...common, entryPoints: ['agent/commands/manifests.ts'], outfile: 'dist/manifests.cjs' });
}
writeFileSync('dist/package.json', `${JSON.stringify({ name: 'microshift-net', version, type: 'commonjs' })}\n`);
copyFileSync('config/ovn.schema.json', 'dist/ovn.schema.json');

/** The Kubernetes client is large: the manifests command lies beside the executable and is loaded only when it is chosen. */
function manifestsApart() {
  return {
    name: 'manifests-apart',
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /commands\/manifests\.ts$/ }, () => ({
        path: './manifests.cjs',
        external: true,
      }));
    },
  };
}
