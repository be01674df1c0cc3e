import { AgentError } from '../errors.ts';

/** Fails with `not-root` unless this process may read and change the node's network. */
export function requireRoot(command: string): void {
  if (process.getuid?.() === 0) return;
  throw new AgentError(
    'not-root',
    `\`${command}\` needs root, because it talks to NetworkManager and Open vSwitch as the system`,
    {
      hint: `run: sudo microshift-net ${command}`,
    },
  );
}
