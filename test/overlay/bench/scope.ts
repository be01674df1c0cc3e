import type { Scope } from '../children.ts';

/** Does work outside of the test runner, and runs its teardown functions, the last one first, however the work ends. */
export async function scoped<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ teardown: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
