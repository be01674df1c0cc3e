// Whether a node can run on this machine.

/** Why no node can run here, for tap's `skip`; false when one can. */
export const nodeSkip: string | false = whyNoNode();

function whyNoNode(): string | false {
  if (process.platform !== 'linux' || process.arch !== 'x64') return 'the test node needs Linux on x86-64';
  return process.getuid?.() === 0 ? false : 'the test node needs root';
}
