#!/usr/bin/env -S node --jitless --optimize-for-size
'use strict';
/*
 * Starts the agent with Node's compile cache: of a run with nothing to do, compiling is the larger part. Only root uses the cache,
 * whose folder only root can write; where it cannot be written, or Node has none (before 22.8), everything works the same, slower.
 * Without a JIT the process stays small and never needs memory that is writable and executable, which the unit forbids. Node 20
 * and 22 warn at every start that WebAssembly goes with the JIT (V8, src/init/v8.cc, DISABLE_FLAG(expose_wasm)); Node 24 does not.
 * --no-expose-wasm silences the warning, but Node 24 ends with "bad option". Of the 609 options of V8 that 20 and 24 share, only
 * --correctness-fuzzer-suppressions silences it too, and that is for tests of V8. Without --jitless, the options --no-opt
 * --no-sparkplug --no-maglev --regexp-interpret-all --no-short-builtin-calls work under MemoryDenyWriteExecute in 20 and 22, and
 * 24 aborts with them. `node --version`, by which a script could choose, takes 10 ms of each start.
 */
const { enableCompileCache } = require('node:module');

if (enableCompileCache !== undefined && process.getuid?.() === 0) enableCompileCache('/var/cache/microshift-net');
require('./agent.cjs');
