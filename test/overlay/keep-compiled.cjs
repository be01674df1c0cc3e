'use strict';
/*
 * Module that a run of the program loads first: it stores the code that V8 has compiled of the bundles, as
 * Node's compile cache does, which Node 20 lacks (agent/launcher.cjs). A test may replace functions of node:fs later.
 * Without the variable FULL_COLLECTIONS, the daemon of a member does not make each garbage collection a full one, which
 * takes more CPU time than all of its other work (agent/commands/overlay-run-command.ts).
 */
const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { resolve } = require('node:path');
const vm = require('node:vm');

/** Folders of the compiled code and of the program: on a node those that hosts.ts mounts. */
const [folder, programFolder] = __dirname.startsWith('/opt/')
  ? ['/opt/compiled', '/opt/program']
  : ['../../build/compiled', '../../dist'].map((path) => resolve(__dirname, path));
/** First words of the command line: each command has its own code, because it compiles functions of its own. */
const words = process.argv.slice(2, 5);
const other = words.findIndex((word) => !/^[a-z]+$/.test(word));
const command = words.slice(0, other === -1 ? words.length : other).join('-');
/** V8 accepts only code that it has compiled with the same options. */
const mode = process.execArgv.filter((word) => ['--jitless', '--no-opt'].includes(word)).join('');
const isFull = process.env.FULL_COLLECTIONS !== undefined;
/** Bundles whose kept code is missing or belongs to a failed run: file, script, and whether any code was kept. */
const compiled = [];

/** Returns the file for the code of a bundle; V8 itself compares only the length of the source. */
function fileFor(bundle) {
  const { mtimeMs, size } = statSync(bundle);
  return `${folder}/${bundle.replaceAll('/', '-')}.${size}.${mtimeMs}.${process.versions.v8}.${mode}.${command}`;
}

/** Returns the file for the code of a run that has failed, which lacks most functions of the command. */
const ofFailure = (file) => `${file}.failed`;

function kept(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

const usual = Module.prototype._compile;
Module.prototype._compile = function compile(source, filename, ...rest) {
  if (!filename.startsWith(`${programFolder}/`)) return usual.call(this, source, filename, ...rest);
  const file = fileFor(filename);
  const whole = kept(file);
  const cachedData = whole ?? kept(ofFailure(file));
  const script = new vm.Script(Module.wrap(source.replace(/^#!/, '//')), { filename, cachedData });
  const isKept = script.cachedDataRejected === false;
  if (whole === undefined || !isKept) compiled.push([file, script, isKept]);
  const dirname = filename.slice(0, filename.lastIndexOf('/'));
  const load = (name) =>
    name === 'node:v8' && !isFull ? { ...require('node:v8'), setFlagsFromString() {} } : this.require(name);
  return script.runInThisContext().call(this.exports, this.exports, load, this, filename, dirname);
};

process.on('exit', (code) => {
  if (process.getuid() !== 0) return;
  for (const [file, script, isKept] of compiled) {
    if (code !== 0 && isKept) continue;
    const target = code === 0 ? file : ofFailure(file);
    writeFileSync(`${file}.${process.pid}`, script.createCachedData());
    renameSync(`${file}.${process.pid}`, target);
  }
});
