// State of an overlay on a node, for a comparison with the state before.
import type { Host } from './hosts.ts';

const files = [
  '/etc/microshift-net/pki/node.pem',
  '/etc/microshift-net/pki/ca.crt',
  '/etc/microshift-net/pki/ca.key',
  '/var/lib/microshift-net/overlay.json',
  '/var/lib/microshift-net/overlay-units.json',
];

/** Returns settings and bridges of Open vSwitch, and the existing files, as text. */
export function stateOf(host: Host): string {
  const rows = host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids', 'other_config', 'ssl');
  const there = files.filter((file) => host.run(['test', '-e', file]).status === 0);
  return `${rows}${host.must('ovs-vsctl', 'list-br')}${there.join()}`;
}
