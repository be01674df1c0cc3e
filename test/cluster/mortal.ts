/**
 * Words that run a program which ends with this process, however that ends: no teardown runs when a test's time is
 * over, or when it is killed.
 */
export function mortal(words: readonly string[]): readonly [string, ...string[]] {
  return ['setpriv', '--pdeathsig', 'KILL', ...words];
}
