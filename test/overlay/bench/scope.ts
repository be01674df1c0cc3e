import type { Scope } from '../children.ts';

/** Teardown for a program outside of the test runner: runs all functions, the last one first, however the work ends. */
export async function scoped<T>(work: (scope: Scope) => Promise<T>): Promise<T> {
  const ends: (() => unknown)[] = [];
  try {
    return await work({ teardown: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}
