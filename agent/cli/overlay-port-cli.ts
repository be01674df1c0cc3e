import type { Command } from 'commander';
import type { PortOptions } from '../model/overlay-port.ts';
import { vlanId } from './numbers.ts';
import type { AddTo } from './parse.ts';

/**
 * Adds the commands `overlay port …`, which connect hosts that are not pods with the overlay, such as VMs and the hosts
 * of a VLAN.
 */
export function addPortCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(
    overlay.command('port').description('VMs, hosts of VLANs and other machines in the network of pods'),
  );
  add(
    'add <name>',
    'give the hosts behind an interface addresses of the cluster, like pods (on the central node)',
    async (output, name: string, options: PortOptions) =>
      (await import('../commands/overlay-port-command.ts')).add(name, options, output),
  )
    .requiredOption('--interface <name>', 'tap of a VM, or NIC that leads to the hosts')
    .option('--node <name>', 'node of the interface (default: this node)')
    .option('--vlan <id>', 'VLAN of the hosts (default: untagged packets)', vlanId)
    .option('--mac <mac...>', 'MAC of each host (default: one host, whose MAC follows from its address)')
    .option('--address <ip...>', 'address of each host, in the order of --mac (default: free addresses)')
    .option('--namespace <name>', 'namespace by which network policies select the hosts (default: default)')
    .option('--label <key=value...>', 'labels by which network policies select the hosts');
  add(
    'remove <name>',
    'remove hosts from the cluster, with everything that `add` has made',
    async (output, name: string) => (await import('../commands/overlay-port-command.ts')).remove(name, output),
  );
  add(
    'list',
    'list the hosts that are not pods, and the settings that they need (on the central node)',
    async (output) => (await import('../commands/overlay-port-command.ts')).list(output),
  );
}
