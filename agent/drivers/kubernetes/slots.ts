/** Function that runs a task as soon as a slot is free. */
export type Slots = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates slots for at most `count` concurrent tasks; further tasks wait in the order of their calls. */
export function createSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
