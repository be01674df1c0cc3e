import { type Command, Option } from 'commander';
import type { GatewayCommandOptions } from '../commands/overlay-command.ts';
import type { PkiOptions } from '../commands/overlay-pki-command.ts';
import type { TraceOptions } from '../commands/overlay-trace-command.ts';
import { portNumber, positiveDays, vlanId } from './numbers.ts';
import type { AddTo } from './parse.ts';

/** Adds the commands `overlay …`: a cluster network on OVN for a few nodes. */
export function addOverlayCommands(program: Command, addTo: AddTo): void {
  const overlay = program.command('overlay').description('a network of our own for a small cluster, on OVN');
  const add = addTo(overlay);
  add('init', 'make this node the central one of a new cluster, and show how others join', async (output) =>
    (await import('../commands/overlay-command.ts')).init(output),
  );
  add('join <bundle>', 'join the cluster of a bundle of pki issue; - is standard input', async (output, file: string) =>
    (await import('../commands/overlay-command.ts')).join(file, output),
  );
  addGatewayCommand(overlay, addTo);
  add('plan', 'show everything overlay apply would do, and touch nothing', async (output) =>
    (await import('../commands/overlay-command.ts')).plan(output),
  );
  add('apply', "bring this node's rows, certificates and addresses to its part in the cluster", async (output) =>
    (await import('../commands/overlay-command.ts')).apply(output),
  );
  add('verify', 'compare this node with its part in the cluster: 0 in the desired state, 3 drift', async (output) =>
    (await import('../commands/overlay-command.ts')).verify(output),
  );
  add('run', 'keep this node at its part in the cluster, as the unit does, until it is stopped', async (output) =>
    (await import('../commands/overlay-run-command.ts')).run(output),
  );
  add('status', 'what this node is in the cluster, and how its daemon and its tunnels are', async (output) =>
    (await import('../commands/overlay-command.ts')).status(output),
  );
  add('nodes', 'the nodes of the cluster, on the central node', async (output) =>
    (await import('../commands/overlay-command.ts')).nodes(output),
  );
  add('leave', 'take this node out of its cluster', async (output, { node }: { node?: string }) =>
    (await import('../commands/overlay-command.ts')).leave(node, output),
  ).option('--node <name>', 'on the central node: take another one out, whether it still is there or not');
  add(
    'disable',
    "leave, and make OVN's units as they were before",
    async (output, options: { readonly force?: boolean }) =>
      (await import('../commands/overlay-command.ts')).disable(options, output),
  ).option('--force', 'on the central node: although others are in the cluster, or its databases are gone');
  addTraceCommand(overlay, addTo);
  addPkiCommands(overlay, addTo);
}

function addGatewayCommand(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay);
  add('gateway', 'make this node a gateway of the cluster', async (output, options: GatewayCommandOptions) =>
    (await import('../commands/overlay-command.ts')).gateway(options, output),
  )
    .option('--bridge <bridge>', 'by which packets leave (default: br-ex)')
    .option('--interface <nic>', 'a dedicated NIC instead of an existing bridge')
    .option(
      '--address <address/length>',
      'what they have as their source; with a comma one of each family (default: auto)',
    )
    .option('--next-hop <address>', "the LAN's router; with a comma one of each family (auto)")
    .option('--vlan <id>', 'VLAN of the NIC (1 to 4094)', vlanId)
    .option('--subnets <subnets>', 'subnets of the cluster that leave here, whichever node they are on')
    .addOption(
      new Option(
        '--high-availability <how>',
        'vip: the address moves to another node that has said the same when this one is gone',
      ).choices(['vip']),
    )
    .option('--remove', 'it is none any more');
}

function addTraceCommand(overlay: Command, addTo: AddTo): void {
  const trace = addTo(overlay)(
    'trace <source> <destination>',
    'why a packet gets through, or not: its way through OVN and through Open vSwitch of this node',
    async (output, source: string, destination: string, options: TraceOptions) =>
      (await import('../commands/overlay-trace-command.ts')).trace(source, destination, options, output),
  );
  trace
    .option('--tcp <port>', 'a TCP packet to this port (1 to 65535)', portNumber)
    .option('--udp <port>', 'a UDP packet to this port (1 to 65535)', portNumber)
    .option('--icmp', 'an echo request (the default)')
    .option('--back', 'also follow the reply')
    .option('--from-node <name>', 'for a source outside of the cluster: by whose gateway it comes in');
}

function addPkiCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay.command('pki').description('certificates of the nodes'));
  add('init', 'make the authority of a cluster before its first node', async (output, options: { days?: number }) =>
    (await import('../commands/overlay-pki-command.ts')).init(options, output),
  ).option('--days <days>', 'how long it is valid (1 to 36500; default 3650)', positiveDays);
  const withBundle = (command: Command): Command =>
    command
      .option('--days <days>', 'how long the certificate is valid (1 to 36500; default 1095)', positiveDays)
      .option('-o, --output-file <file>', 'where the bundle goes; - is standard output (default: -)');
  const issue = add(
    'issue <node>',
    'make a node a member, and give the bundle it joins with',
    async (output, node: string, options: PkiOptions) =>
      (await import('../commands/overlay-pki-command.ts')).issue(node, options, output),
  );
  const withGrant = (command: Command): Command =>
    command
      .option('--gateway <addresses>', "what its gateway may have besides the node's tunnel address, with commas")
      .option('--gateway-subnets <subnets>', "other nodes' subnets that may leave by its gateway, with commas");
  const withRequest = (command: Command): Command =>
    command.option(
      '--request <file>',
      'what pki request has made on the node, which keeps its key; - is standard input',
    );
  withGrant(withRequest(withBundle(issue))).requiredOption(
    '--system-id <id>',
    'what the node has in /etc/openvswitch/system-id.conf',
  );
  const grant = add(
    'grant <node>',
    'let the gateway of a member have more than the address of its tunnels',
    async (output, node: string, options: Pick<PkiOptions, 'gateway' | 'gatewaySubnets'> & { revoke?: true }) =>
      (await import('../commands/overlay-pki-command.ts')).grant(node, options, output),
  );
  withGrant(grant).option('--revoke', 'revoke an earlier grant');
  const renew = add(
    'renew [node]',
    'a new certificate: for this node, or as a bundle with which another one joins again',
    async (output, node: string | undefined, options: Pick<PkiOptions, 'days' | 'outputFile' | 'request'>) =>
      (await import('../commands/overlay-pki-command.ts')).renew(node, options, output),
  );
  withRequest(withBundle(renew));
  add(
    'request',
    'make a key that stays on this node, and ask for a certificate of it',
    async (output, options: Pick<PkiOptions, 'outputFile'>) =>
      (await import('../commands/overlay-pki-command.ts')).request(options, output),
  ).option('-o, --output-file <file>', 'where the request goes; - is standard output (default: -)');
  add(
    'rotate',
    'replace the authority of the cluster; every member gets a certificate of the new one',
    async (output, options: { readonly finish?: true; readonly days?: number }) =>
      (await import('../commands/overlay-pki-command.ts')).rotate(options, output),
  )
    .option('--finish', 'stop trusting the old authority, even if members still need a new certificate')
    .option('--days <days>', 'how long the new authority is valid (1 to 36500; default 3650)', positiveDays);
  add('show', 'the certificates on this node, and how long each is valid', async (output) =>
    (await import('../commands/overlay-pki-command.ts')).show(output),
  );
}
