// Runs one fuzzer for a given time: an uncaught error, a hang or growing memory is a finding, like a wrong result.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { inputOf } from './mutate.ts';
import { targets } from './targets.ts';
import type { FuzzOrder, FuzzReport } from './worker.ts';

/** Time limit of one input. Inputs take milliseconds; on a busy machine the slowest one took a tenth of the limit. */
const hangMs = 20_000;
const watchMs = 500;
/**
 * Heap limit of the thread: enough for the garbage between two collections, and exceeded within a minute by a target
 * that keeps its inputs in memory.
 */
const heapLimitMb = 384;
const growthLimitBytes = 512 * 1024 * 1024;

export interface FuzzOptions {
  readonly seed: number;
  readonly limitMs: number;
  /** Minimum number of inputs, which the time does not limit; 200 if undefined. */
  readonly fewest?: number;
  /** Single input to run instead of the generated ones. */
  readonly input?: Buffer;
}

export interface FuzzResult {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  /** Maximum resident memory of this process, minus that at the start. */
  readonly grownBytes: number;
  readonly finding: { readonly what: string; readonly file: string } | null;
}

/** Runs one target. The input of a finding is saved below build/fuzz. */
export async function fuzz(name: string, options: FuzzOptions): Promise<FuzzResult> {
  const progress = new SharedArrayBuffer(4);
  const { seed, limitMs, fewest = 200, input = null } = options;
  const order: FuzzOrder = { target: name, seed, limitMs, fewest, input, progress };
  const startBytes = process.memoryUsage.rss();
  let peakBytes = startBytes;
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: order,
    resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
  });
  const at = (): number => Atomics.load(new Int32Array(progress), 0);
  const report = await new Promise<FuzzReport>((resolve) => {
    let seen = -1;
    let since = performance.now();
    const finding = (what: string): void => resolve({ kind: 'finding', index: at(), what });
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
      if (peakBytes - startBytes > growthLimitBytes) finding(`memory grew to ${peakBytes} bytes`);
      if (at() !== seen) [seen, since] = [at(), performance.now()];
      else if (performance.now() - since > hangMs) finding(`no end within ${hangMs} ms`);
    }, watchMs);
    worker.on('message', resolve);
    worker.on('error', (error) => finding(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    worker.on('exit', (code) => {
      clearInterval(watch);
      finding(`the thread ended with ${code}`);
    });
  });
  await worker.terminate();
  const inputs = at() + 1;
  const common = { target: name, seed, inputs, grownBytes: peakBytes - startBytes };
  if (report.kind === 'done')
    return { ...common, outcomes: report.outcomes, slowestMs: report.slowestMs, finding: null };
  const file = input === null ? await save(name, seed, report.index) : 'the input it was given';
  return { ...common, outcomes: {}, slowestMs: 0, finding: { what: report.what, file } };
}

async function save(name: string, seed: number, index: number): Promise<string> {
  const target = await targets[name]?.();
  if (target === undefined) return '(nothing to save)';
  const file = path.join('build', 'fuzz', `${name}-${seed}-${index}`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, inputOf(target, target.corpus(), seed, index));
  return file;
}
