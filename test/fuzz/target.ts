// A fuzz target: a part of the agent that reads untrusted bytes, and the properties that hold for every input.

/** Integers below a limit. */
export type Random = (below: number) => number;

export interface FuzzTarget {
  /** Inputs to start from, of every kind the part knows. */
  readonly corpus: () => readonly Buffer[];
  /** Pieces that mean something there. */
  readonly words: readonly string[];
  /** `json`: inputs are also changed as trees, so that they stay readable and are wrong further in. */
  readonly form: 'bytes' | 'json';
  readonly open: () => Promise<FuzzSession> | FuzzSession;
}

export interface FuzzSession {
  /**
   * Hands an input to the part and gives its outcome in a word or two. Throws when something came of it that must not:
   * that is a finding. `random` depends on the input alone, so an input that was saved is enough to see it again.
   */
  readonly feed: (input: Buffer, random: Random) => Promise<string> | string;
  readonly close: () => Promise<void> | void;
}
