// The test library tap from one file (tap-in-one-file.mjs), with the code that V8 has compiled of this file. Compiled
// tests find this module as `tap`.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';

const file = new URL('../build/node_modules/@tapjs/one-file/tap.cjs', import.meta.url).pathname;
/** File with the compiled code; V8 ignores the code of another release or other options of V8. */
export const codeFile = `${file}.code`;

/** tap as a function; the file has only ASCII characters. */
export const script = new Script(`(function (module, require, __filename) {${fs.readFileSync(file, 'latin1')}\n})`, {
  filename: file,
  cachedData: fs.existsSync(codeFile) ? fs.readFileSync(codeFile) : undefined,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
const module = {};
script.runInThisContext()(module, createRequire(file), file);

export default module.exports;
