// Bundles tap into one file, and makes compiled tests find cached-tap.mjs before the package. Each test file would
// otherwise load and compile 250 modules, which takes a third of a second of CPU time.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { build } from 'esbuild';

const modules = 'build/node_modules';
/** Folder of the bundle: tap leaves functions of packages in @tapjs out of the stack of a failure. */
const place = `${modules}/@tapjs/one-file`;

/** Program that runs a test, and stores the compiled code of all functions of tap that ran. */
const keepCode = `
import fs from 'node:fs';
import t, { codeFile, script } from './test/cached-tap.mjs';
t.test('a test', async (t) => t.match({ a: [1] }, { a: [1] }));
process.once('exit', () => fs.writeFileSync(codeFile, script.createCachedData()));
`;

/** Writes build/node_modules/tap, unless it is newer than the plugins that tap has built into itself. */
export async function putTapIntoOneFile() {
  const builtMs = fs.statSync('node_modules/@tapjs/test/test-built/dist/esm/index.js').mtimeMs;
  const code = `${place}/tap.cjs.code`;
  if (fs.existsSync(code) && fs.statSync(code).mtimeMs > builtMs) return;
  fs.rmSync(modules, { recursive: true, force: true });
  await build({
    stdin: { contents: "module.exports = require('./node_modules/tap/dist/esm/index.js').t;", resolveDir: '.' },
    outfile: `${place}/tap.cjs`,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    charset: 'ascii',
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.url': 'urlOfFile' },
    banner: { js: "const urlOfFile = require('node:url').pathToFileURL(__filename).href;" },
    plugins: [withoutReact],
    logLevel: 'warning',
  });
  fs.mkdirSync(`${modules}/tap`, { recursive: true });
  const found = { name: 'tap', type: 'module', main: '../../../test/cached-tap.mjs' };
  fs.writeFileSync(`${modules}/tap/package.json`, JSON.stringify(found));
  spawnSync(process.execPath, ['--input-type=module', '-e', keepCode], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Plugin of esbuild that leaves out the comparison of React elements, which would load a package at each start. */
const withoutReact = {
  name: 'without React',
  setup: (builder) =>
    builder.onLoad({ filter: /tcompare\/.*\/react-element-to-jsx-string\.js$/ }, () => ({
      contents: 'export default String;',
    })),
};
