// Bundles tap into one file in build/node_modules, where compiled tests find it before the package. Each test file would
// otherwise load 250 modules, which takes a quarter of a second of CPU time.
import fs from 'node:fs';
import { buildSync } from 'esbuild';

const modules = 'build/node_modules';
/** Name of the bundle: tap leaves functions of packages in @tapjs out of the stack of a failure. */
const place = '@tapjs/one-file';
const original = 'node_modules/tap/dist/esm/index.js';

/** Writes build/node_modules/tap, unless it is newer than the plugins that tap has built into itself. */
export function putTapIntoOneFile() {
  const file = `${modules}/${place}/index.js`;
  const builtMs = fs.statSync('node_modules/@tapjs/test/test-built/dist/esm/index.js').mtimeMs;
  if (fs.existsSync(file) && fs.statSync(file).mtimeMs > builtMs) return;
  buildSync({
    entryPoints: [original],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    minifySyntax: true,
    minifyWhitespace: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'warning',
  });
  fs.writeFileSync(`${modules}/${place}/package.json`, JSON.stringify({ type: 'module' }));
  fs.mkdirSync(`${modules}/tap`, { recursive: true });
  const found = { name: 'tap', type: 'module', main: `../${place}/index.js` };
  fs.writeFileSync(`${modules}/tap/package.json`, JSON.stringify(found));
}
