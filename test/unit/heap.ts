import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/**
 * Number of rounds that must agree: an object that is collected late or belongs to other work affects one or two
 * rounds, a leak affects all.
 */
const rounds = 5;

/**
 * Returns the number of bytes of the heap that each try leaves behind: the median of several rounds. The same number of
 * tries runs first, to fill caches that are filled once.
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

/** Returns the used bytes of the heap. */
export async function usedHeap(): Promise<number> {
  // The target of a WeakRef that was created or read in this turn of the event loop is not collected before the turn
  // ends.
  await setImmediate();
  collect();
  return process.memoryUsage().heapUsed;
}
