import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of the heap that each of so many tries leaves behind. As many before them fill what is filled once. */
export async function leftPerTry(tries: number, once: (index: number) => void | Promise<void>): Promise<number> {
  for (let index = 0; index < tries; index++) await once(index);
  const before = await used();
  for (let index = tries; index < 2 * tries; index++) await once(index);
  return ((await used()) - before) / tries;
}

async function used(): Promise<number> {
  // What a WeakRef was made of or asked for in this turn of the loop stays until its end.
  await setImmediate();
  collect();
  return process.memoryUsage().heapUsed;
}
