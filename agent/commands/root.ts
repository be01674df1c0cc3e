import { AgentError } from '../errors.ts';

/** Fails with `not-root` unless this process may read and change the node's network. */
export function requireRoot(command: string, program = 'microshift-net'): void {
  if (process.getuid?.() === 0) return;
  const why = 'it talks to NetworkManager and Open vSwitch as the system';
  const hint = `run: sudo ${program} ${command}`;
  throw new AgentError('not-root', `\`${command}\` needs root, because ${why}`, { hint });
}
