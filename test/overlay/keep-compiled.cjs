'use strict';
/*
 * Module that a run of the program loads first: it stores the code that V8 has compiled of the bundles, as
 * Node's compile cache does, which Node 20 lacks (agent/launcher.cjs). A test may replace functions of node:fs later.
 */
const { readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { resolve } = require('node:path');
const { cachedDataVersionTag } = require('node:v8');
const vm = require('node:vm');

/** Folders of the compiled code and of the program: on a node those that hosts.ts mounts. */
const [folder, programFolder] = __dirname.startsWith('/opt/')
  ? ['/opt/compiled', '/opt/program']
  : ['../../build/compiled', '../../dist'].map((path) => resolve(__dirname, path));
const compiled = [];

/** Returns the file for the code of a bundle; V8 itself compares only the length of the source. */
function fileFor(bundle) {
  const { mtimeMs, size } = statSync(bundle);
  return `${folder}/${bundle.replaceAll('/', '-')}.${size}.${mtimeMs}.${cachedDataVersionTag()}`;
}

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
  const cachedData = kept(file);
  const script = new vm.Script(Module.wrap(source.replace(/^#!/, '//')), { filename, cachedData });
  if (script.cachedDataRejected !== false) compiled.push([file, script]);
  const dirname = filename.slice(0, filename.lastIndexOf('/'));
  const load = (name) => this.require(name);
  return script.runInThisContext().call(this.exports, this.exports, load, this, filename, dirname);
};

process.on('exit', () => {
  if (process.getuid() !== 0) return;
  for (const [file, script] of compiled) {
    writeFileSync(`${file}.${process.pid}`, script.createCachedData());
    renameSync(`${file}.${process.pid}`, file);
  }
});
