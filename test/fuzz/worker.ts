// Runs a target in a separate thread, which has a memory limit and which the main thread can end if the target hangs.
import { parentPort, workerData } from 'node:worker_threads';
import { inputOf, randomOf } from './mutate.ts';
import { targets } from './targets.ts';

/** Parameters of this thread. */
export interface FuzzOrder {
  readonly target: string;
  readonly seed: number;
  readonly limitMs: number;
  /** Minimum number of inputs, which the time does not limit. */
  readonly fewest: number;
  /** One input that replaces the generated ones. */
  readonly input: Uint8Array | null;
  /** Number of the present input, for the thread that supervises this one. */
  readonly progress: SharedArrayBuffer;
}

/** Final report of this thread. */
export type FuzzReport =
  | { readonly kind: 'done'; readonly outcomes: Readonly<Record<string, number>>; readonly slowestMs: number }
  | { readonly kind: 'finding'; readonly index: number; readonly what: string };

const order = workerData as FuzzOrder;
const progress = new Int32Array(order.progress);

async function main(): Promise<FuzzReport> {
  const target = await targets[order.target]?.();
  if (target === undefined) throw new Error(`there is no target ${order.target}`);
  const corpus = target.corpus();
  const session = await target.open();
  const outcomes: Record<string, number> = {};
  const end = performance.now() + order.limitMs;
  const last = order.input === null ? Number.MAX_SAFE_INTEGER : 1;
  let slowestMs = 0;
  for (let index = 0; index < last && (index < order.fewest || performance.now() < end); index++) {
    Atomics.store(progress, 0, index);
    const input = order.input === null ? inputOf(target, corpus, order.seed, index) : Buffer.from(order.input);
    const started = performance.now();
    try {
      const outcome = await session.feed(input, randomOf(input));
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      return { kind: 'finding', index, what: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    slowestMs = Math.max(slowestMs, performance.now() - started);
    // Without this pause, callbacks and timers of a target that never waits would not run.
    if (index % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await session.close();
  return { kind: 'done', outcomes, slowestMs };
}

parentPort?.postMessage(await main());
