import { AgentError } from '../errors.ts';

/** Reasons why commands need root, by the first words of the command; the first entry that matches applies. */
const reasons: readonly (readonly [words: string, why: string])[] = [
  ['history', 'only root may read the journals in /var/lib/microshift-net'],
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
  if (process.getuid?.() === 0) return;
  const why = reasons.find(([words]) => `${command} `.startsWith(words === '' ? '' : `${words} `))?.[1];
  const hint = `run: sudo ${program} ${command}`;
  throw new AgentError('not-root', `\`${command}\` needs root, because ${why}`, { hint });
}
