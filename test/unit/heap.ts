import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** An object that is collected late, or was made for another purpose, is in one or two of these; a leak is in each. */
const rounds = 5;

/**
 * Bytes of the heap that each of so many tries leaves behind, in most of several rounds. As many tries before them fill
 * what is filled once.
 */
export async function leftPerTry(tries: number, once: (index: number) => void | Promise<void>): Promise<number> {
  const left: number[] = [];
  let before = 0;
  for (let round = 0; round <= rounds; round++) {
    for (let index = round * tries; index < (round + 1) * tries; index++) await once(index);
    const after = await usedHeap();
    if (round > 0) left.push((after - before) / tries);
    before = after;
  }
  return left.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

/** Bytes of the heap that are in use. */
export async function usedHeap(): Promise<number> {
  // The target of a WeakRef that was made or read in this turn of the loop stays until the turn ends.
  await setImmediate();
  collect();
  return process.memoryUsage().heapUsed;
}
