#!/usr/bin/env -S MALLOC_TRIM_THRESHOLD_=131072 node --jitless --optimize-for-size
'use strict';
/*
 * Starts the agent with Node's compile cache, because compiling takes most of the time of a run that changes nothing.
 * Only root uses the cache, and only root can write to its folder. Without the cache (before Node 22.8, or if the
 * folder cannot be written) the agent starts more slowly. With --jitless, the process is small and needs no memory that
 * is writable and executable, which its unit forbids. Node 20 and 22 then warn at every start that WebAssembly is
 * disabled without a JIT (V8, src/init/v8.cc, DISABLE_FLAG(expose_wasm)); Node 24 does not warn. V8 has
 * no suitable option to suppress the warning in all three versions: Node 24 refuses --no-expose-wasm, and
 * --correctness-fuzzer-suppressions is meant for tests of V8. Other options without a JIT (--no-opt --no-sparkplug
 * --no-maglev --regexp-interpret-all --no-short-builtin-calls) work under MemoryDenyWriteExecute= in Node 20 and 22,
 * but make Node 24 abort. A script could choose the options by `node --version`, which takes 10 ms of each start.
 *
 * MALLOC_TRIM_THRESHOLD_ has the default value of glibc. Its presence alone has an effect: otherwise, glibc raises its
 * thresholds when Node frees the buffer of a large source file. It then places later large buffers in the heap, and
 * returns less free memory (mallopt(3), M_MMAP_THRESHOLD).
 */
const { enableCompileCache } = require('node:module');

if (enableCompileCache !== undefined && process.getuid?.() === 0) enableCompileCache('/var/cache/microshift-net');
require('./agent.cjs');
