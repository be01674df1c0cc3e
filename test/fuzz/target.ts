// A fuzz target: a part of the agent that reads untrusted bytes, and the properties of every result.

/** Returns an integer from 0 to below the limit. */
export type Random = (below: number) => number;

export interface FuzzTarget {
  /** Returns the initial inputs, of every kind that the tested part of the agent accepts. */
  readonly corpus: () => readonly Buffer[];
  /** Texts with a meaning to the tested part of the agent, which the fuzzer inserts into inputs. */
  readonly words: readonly string[];
  /**
   * Form of the inputs. With `json`, inputs are also changed as trees, so that they remain valid JSON and have faults
   * inside.
   */
  readonly form: 'bytes' | 'json';
  readonly open: () => Promise<FuzzSession> | FuzzSession;
}

export interface FuzzSession {
  /**
   * Passes an input to the tested part of the agent, and describes the result in a word or two. Throws if the result is
   * not allowed: that is a finding. `random` depends only on the input, so a saved input reproduces the finding.
   */
  readonly feed: (input: Buffer, random: Random) => Promise<string> | string;
  readonly close: () => Promise<void> | void;
}
