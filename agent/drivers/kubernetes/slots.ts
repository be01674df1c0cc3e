/** Runs a task when it is its turn. */
export type Slots = <T>(task: () => Promise<T>) => Promise<T>;

/** Lets no more than `count` tasks run at a time; the others wait in their order. */
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
