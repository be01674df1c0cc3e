/**
 * Returns a command whose program ends with this process, even if this process is killed, so that no teardown runs.
 */
export function mortal(words: readonly string[]): readonly [string, ...string[]] {
  return ['setpriv', '--pdeathsig', 'KILL', ...words];
}
