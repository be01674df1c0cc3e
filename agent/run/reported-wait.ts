/** Function that shows a message to the person at the terminal. */
export type Say = (message: string) => void;

/** Time after which a wait is reported. Most waits end within a second. */
const silentMs = 2_000;

/** Does work that may wait. After 2 s reports `waiting`, a sentence with the awaited condition and the limit. */
export function reportedWait<T>(waiting: string, say: Say, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => say(waiting), silentMs);
  return work().finally(() => clearTimeout(timer));
}

/**
 * Returns `say` if the output is a terminal, otherwise a function that reports nothing. Only a person needs to know why
 * nothing happens; scripts and systemd's journal get the outcome.
 */
export function onTerminal(say: Say | undefined, isTerminal: boolean = process.stderr.isTTY): Say {
  return isTerminal && say !== undefined ? say : () => undefined;
}
