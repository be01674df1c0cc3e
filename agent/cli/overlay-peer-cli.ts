import type { Command } from 'commander';
import type { AddTo } from './parse.ts';

/** Options of `overlay peer add`, each with its values as they were typed. */
interface PeerFlags {
  readonly nextHop?: readonly string[];
  readonly subnet: readonly string[];
  readonly serviceSubnet?: readonly string[];
  readonly vtep?: string;
  readonly mac?: string;
  readonly vni?: string;
}

/**
 * Adds the commands `overlay peer …`, for peers: other clusters, or subnets, that pods reach by a router or node on the
 * LAN of the gateways, or in VXLAN.
 */
export function addPeerCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay.command('peer').description('other clusters that pods reach by a router of the LAN'));
  add(
    'add <name>',
    'let pods reach the pods and services of another cluster, and be reached from there (on the central node)',
    async (output, name: string, options: PeerFlags) =>
      (await import('../commands/overlay-peer-command.ts')).add(name, options, output),
  )
    .option('--next-hop <address...>', 'router or node of the other cluster on the LAN; one of each family')
    .requiredOption('--subnet <subnet...>', 'subnets of the pods of the other cluster')
    .option('--service-subnet <subnet...>', 'subnets of the services of the other cluster')
    .option(
      '--vtep <address>',
      'instead of --next-hop: IPv4 address of an appliance that uses VXLAN (OVN 25.09 or later)',
    )
    .option('--mac <mac>', "MAC of the appliance's tunnel interface; without it, the command prints the MAC to set")
    .option('--vni <number>', 'VXLAN network identifier of the appliance (default: 0)');
  add('remove <name>', 'remove another cluster, with everything that `add` has made', async (output, name: string) =>
    (await import('../commands/overlay-peer-command.ts')).remove(name, output),
  );
  add('list', 'list the other clusters, and the routes that each needs (on the central node)', async (output) =>
    (await import('../commands/overlay-peer-command.ts')).list(output),
  );
}
