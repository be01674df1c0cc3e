/**
 * Command prefix: the program that it starts ends with this process, even if this process is killed or its time is
 * over, when no teardown runs.
 */
export function mortal(words: readonly string[]): readonly [string, ...string[]] {
  return ['setpriv', '--pdeathsig', 'KILL', ...words];
}
