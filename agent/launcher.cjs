#!/usr/bin/env -S node --jitless --optimize-for-size
'use strict';
/*
 * Starts the agent with Node's compile cache: of a run with nothing to do, compiling is the larger part. Only root uses the cache,
 * whose folder only root can write; where it cannot be written, or Node has none (before 22.8), everything works the same, slower.
 * Without a JIT the process stays small and never needs memory that is writable and executable, which the unit forbids. Node 20
 * warns at every start that WebAssembly goes with the JIT; the option that would silence it is unknown to Node 24, which ends.
 */
const { enableCompileCache } = require('node:module');

if (enableCompileCache !== undefined && process.getuid?.() === 0) enableCompileCache('/var/cache/microshift-net');
require('./agent.cjs');
