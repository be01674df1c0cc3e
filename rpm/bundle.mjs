// Bundles the agent into dist/: one executable file and the files that it loads. They need Node, but no node_modules.
// The format is CommonJS, because Node treats a file without an extension as CommonJS wherever it is copied; package.json beside it says the same.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { build } from 'esbuild';
import { jsonSchemas } from '../config/json-schemas.mjs';

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
  // Optional parts of dbus-next that the agent does not use: file descriptors, and a bus that is found through X11.
  external: ['usocket', 'x11'],
  logLevel: 'warning',
  // `import()` becomes `require`, because an import of a CommonJS file first parses the whole file for its exports,
  // which takes longer than running it.
  supported: { 'dynamic-import': false },
  metafile: true,
  plugins: [modulesOnDemand()],
};

const bundles = [];

const lies = {
  config: apart(/config\/load\.ts$|^\.\/load\.ts$/, 'config.cjs'),
  execa: apart(/^execa$/, 'execa.cjs'),
  manifests: apart(/commands\/manifests-command\.ts$/, 'manifests.cjs'),
  daemon: apart(/commands\/overlay-run-command\.ts$/, 'overlay-run.cjs'),
  doctor: apart(/commands\/doctor-command\.ts$|^\.\/doctor-command\.ts$/, 'doctor.cjs'),
  kubernetes: apart(/library-kubeconfig\.ts$/, 'kubernetes.cjs'),
  supportBundle: apart(/commands\/support-bundle-command\.ts$/, 'support-bundle.cjs'),
};

bundles.push(
  // Files that are read before a command is chosen.
  await build({
    ...common,
    entryPoints: ['agent/main.ts'],
    outfile: 'dist/agent.cjs',
    plugins: [
      ...common.plugins,
      apart(/commands\/apply-command\.ts$/, 'apply.cjs'),
      apart(/^\.\/program\.ts$/, 'program.cjs'),
      ...[lies.daemon, lies.execa],
    ],
  }),
  await build({
    ...common,
    entryPoints: ['agent/commands/overlay-run-command.ts'],
    outfile: 'dist/overlay-run.cjs',
    plugins: [...common.plugins, lies.config, lies.execa, lies.kubernetes, withoutAssert()],
  }),
  await build({
    ...common,
    entryPoints: ['agent/commands/apply-command.ts'],
    outfile: 'dist/apply.cjs',
    plugins: [...common.plugins, lies.config, lies.execa, withoutAssert()],
  }),
  await build({
    ...common,
    entryPoints: ['agent/cli/program.ts'],
    outfile: 'dist/program.cjs',
    plugins: [
      ...common.plugins,
      ...[lies.config, lies.daemon, lies.doctor, lies.execa, lies.kubernetes, lies.manifests, lies.supportBundle],
      withoutAssert(),
    ],
  }),
  await build({ ...common, entryPoints: ['agent/config/load.ts'], outfile: 'dist/config.cjs' }),
  await build({ ...common, entryPoints: ['execa'], outfile: 'dist/execa.cjs' }),
  await build({
    ...common,
    entryPoints: ['agent/commands/support-bundle-command.ts'],
    outfile: 'dist/support-bundle.cjs',
    plugins: [...common.plugins, lies.config, lies.doctor, lies.execa, lies.kubernetes],
  }),
  await build({
    ...common,
    entryPoints: ['agent/commands/doctor-command.ts'],
    outfile: 'dist/doctor.cjs',
    plugins: [...common.plugins, lies.config, lies.execa, lies.kubernetes],
  }),
);
copyFileSync('agent/launcher.cjs', 'dist/microshift-net');
chmodSync('dist/microshift-net', 0o755);
if (existsSync('agent/commands/manifests-command.ts')) {
  bundles.push(
    await build({
      ...common,
      entryPoints: ['agent/commands/manifests-command.ts'],
      outfile: 'dist/manifests.cjs',
      plugins: [...common.plugins, lies.config, lies.kubernetes],
    }),
    await build({
      ...common,
      entryPoints: ['agent/drivers/kubernetes/library-kubeconfig.ts'],
      outfile: 'dist/kubernetes.cjs',
    }),
  );
}
for (const name of readdirSync('dist').filter((name) => name.endsWith('.cjs'))) escapeFile(`dist/${name}`);
writeFileSync('dist/package.json', `${JSON.stringify({ name: 'microshift-net', version, type: 'commonjs' })}\n`);
copyFileSync('config/ovn.schema.json', 'dist/ovn.schema.json');
mkdirSync('dist/json', { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(`dist/json/${name}`, `${JSON.stringify(schema, null, 2)}\n`);
}
// Inputs of the bundle, for the package's list of bundled modules and their licences.
const inputs = [...new Set(bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs)))].sort();
mkdirSync('build', { recursive: true });
writeFileSync('build/bundled-inputs.json', `${JSON.stringify(inputs)}\n`);

/**
 * Loads the listed modules of Node.js when a function first uses one of their members, and not at the start. A command
 * uses few of them: without a connection to Kubernetes, for example, node:https and all that it loads would take a
 * tenth of the CPU time of `overlay apply`.
 */
function modulesOnDemand() {
  const names = [
    ...['child_process', 'crypto', 'dgram', 'dns/promises', 'fs/promises', 'http', 'https', 'timers/promises'],
    ...['tls', 'tty', 'v8'],
  ];
  const filter = new RegExp(`^(?:node:)?(?:${names.join('|')})$`);
  const namespace = 'on demand';
  return {
    name: 'modules on demand',
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter }, ({ path, namespace: importer }) =>
        importer === namespace ? { path, external: true } : { path: `node:${path.replace('node:', '')}`, namespace },
      );
      pluginBuild.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
        const members = Object.keys((await import(path)).default);
        const getters = members.map((name) => `get ${name}() { return loaded().${name}; }`);
        const loaded = `let kept; const loaded = () => { kept ??= require('${path}'); return kept; };`;
        return { contents: `${loaded}\nmodule.exports = { ${getters.join(', ')} };` };
      });
    },
  };
}

/**
 * Replaces node:assert in dbus-next, which uses it only to check two sizes. node:assert loads object comparison and
 * source maps, which take a twentieth of the time of a run without changes.
 */
function withoutAssert() {
  const contents = `
    module.exports = (holds, message) => { if (!holds) throw new Error(message ?? 'assertion failed'); };
    module.exports.strictEqual = (actual, expected, message) => module.exports(actual === expected, message);`;
  return {
    name: 'without node:assert',
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /^assert$/ }, ({ importer }) =>
        importer.includes('/node_modules/dbus-next/') ? { path: 'assert', namespace: 'sizes' } : undefined,
      );
      pluginBuild.onLoad({ filter: /.*/, namespace: 'sizes' }, () => ({ contents }));
    },
  };
}

/**
 * Writes the characters of a bundle that are not ASCII as escapes, which mean the same in strings, patterns and names. V8 keeps a source with a single
 * character outside of Latin-1 at two bytes per character, and Node decodes it more slowly. esbuild escapes strings only.
 */
function escapeFile(path) {
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  // Without the flag u, the pattern matches each UTF-16 code unit.
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/[^\0-\x7f]/g, escaped));
}

/**
 * Keeps a module in a separate file beside its importer. A run without changes never loads the parser of
 * configurations, the module that starts programs, doctor, support-bundle, the manifests and the Kubernetes client. The
 * daemon has a separate file because it stays in memory.
 */
function apart(filter, file) {
  return {
    name: `apart: ${file}`,
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${file}`, external: true },
      );
    },
  };
}
