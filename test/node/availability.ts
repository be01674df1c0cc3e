// Check whether a booted node can run on this machine.

/** Reason why no node can run on this machine, for tap's `skip`; false if it can run. */
export const nodeSkip: string | false = whyNoNode();

function whyNoNode(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the test node needs Linux on x86-64';
  return process.getuid?.() === 0 ? false : 'the test node needs root';
}
