import { AgentError } from '../errors.ts';

/** Reason for commands that use the services of the node. */
const usesServices = 'it talks to NetworkManager and Open vSwitch as the system';

/** Fails with `not-root` unless this process is root's; `why` is the reason that the user reads. */
export function requireRoot(command: string, why = usesServices, program = 'microshift-net'): void {
  if (process.getuid?.() === 0) return;
  const hint = `run: sudo ${program} ${command}`;
  throw new AgentError('not-root', `\`${command}\` needs root, because ${why}`, { hint });
}
