import { accessSync, constants } from 'node:fs';
import { AgentError } from '../errors.ts';

/**
 * Reasons why commands need root. `words` are the first words of the commands to which the reason `why` applies. If
 * several reasons match a command, the first one is printed.
 */
const reasons: readonly (readonly [words: string, why: string])[] = [
  ['history', 'only root and the group systemd-journal may read the journals in /var/lib/microshift-net/tx'],
  ['overlay pki', 'only root may read the keys in /etc/microshift-net/pki'],
  ['overlay', 'it talks to Open vSwitch and OVN as the system'],
  ['firewall', 'it talks to firewalld as the system'],
  ['ovs tune', 'it changes the daemons of Open vSwitch while they run'],
  ['support-bundle', 'only root may read the logs and files that it collects'],
  ['hook', 'it changes units and files of the node'],
  ['', 'it talks to NetworkManager and Open vSwitch as the system'],
];

/** Fails with `not-root` unless this process runs as root; the message says why the command needs root. */
export function requireRoot(command: string, program = 'microshift-net'): void {
  if (process.getuid?.() !== 0) throw notRoot(command, program);
}

/** Fails with `not-root` if this process may not read an existing directory. */
export function requireReadable(command: string, directory: string): void {
  try {
    accessSync(directory, constants.R_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw notRoot(command);
  }
}

function notRoot(command: string, program = 'microshift-net'): AgentError {
  const why = reasons.find(([words]) => `${command} `.startsWith(words === '' ? '' : `${words} `))?.[1];
  const hint = `run: sudo ${program} ${command}`;
  return new AgentError('not-root', `\`${command}\` needs root, because ${why}`, { hint });
}
