#!/usr/bin/env -S node --jitless --no-expose-wasm --optimize-for-size
'use strict';
/*
 * Starts the agent with Node's compile cache: of a run with nothing to do, compiling is the larger part. Only root uses the cache,
 * whose folder only root can write; where it cannot be written, or Node has none (before 22.8), everything works the same, slower.
 * Without a JIT the process stays small and never needs memory that is writable and executable, which the unit forbids. WebAssembly
 * needs a JIT: left on, Node 20 warns of it on standard error at every start.
 */
const { enableCompileCache } = require('node:module');

if (enableCompileCache !== undefined && process.getuid?.() === 0) enableCompileCache('/var/cache/microshift-net');
require('./agent.cjs');
