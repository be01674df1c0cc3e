import { type Command, Option } from 'commander';
import type { GatewayCommandOptions } from '../commands/overlay-command.ts';
import type { PkiOptions } from '../commands/overlay-pki-command.ts';
import type { RoutesOptions } from '../commands/overlay-routes-command.ts';
import type { TraceOptions } from '../commands/overlay-trace-command.ts';
import { routeFormats } from '../model/outside-routes.ts';
import { portNumber, positiveDays, vlanId } from './numbers.ts';
import { addIsolationCommands } from './overlay-isolation-cli.ts';
import { addPeerCommands } from './overlay-peer-cli.ts';
import { addPortCommands } from './overlay-port-cli.ts';
import type { AddTo } from './parse.ts';

/** Adds the commands `overlay …`: a cluster network on OVN for a few nodes. */
export function addOverlayCommands(program: Command, addTo: AddTo): void {
  const overlay = program.command('overlay').description('the network of a small cluster, on OVN');
  const add = addTo(overlay);
  add('init', 'make this node the central node of a new cluster, and show how others join', async (output) =>
    (await import('../commands/overlay-command.ts')).init(output),
  );
  add(
    'join <bundle>',
    'join a cluster, with a bundle of `overlay pki issue`; - is standard input',
    async (output, file: string) => (await import('../commands/overlay-command.ts')).join(file, output),
  );
  addGatewayCommand(overlay, addTo);
  add('plan', 'show everything `overlay apply` would do, without changing anything', async (output) =>
    (await import('../commands/overlay-command.ts')).plan(output),
  );
  add('apply', "bring this node's rows, certificates and addresses into the desired state", async (output) =>
    (await import('../commands/overlay-command.ts')).apply(output),
  );
  add('verify', 'compare this node with its desired state in the cluster (exit code 3: drift)', async (output) =>
    (await import('../commands/overlay-command.ts')).verify(output),
  );
  add('run', 'keep this node in its desired state until it is stopped, as the unit does', async (output) =>
    (await import('../commands/overlay-run-command.ts')).run(output),
  );
  add('status', 'show the role of this node, its daemon and its tunnels', async (output) =>
    (await import('../commands/overlay-command.ts')).status(output),
  );
  add('nodes', 'list the nodes of the cluster (on the central node)', async (output) =>
    (await import('../commands/overlay-command.ts')).nodes(output),
  );
  addRoutesCommand(overlay, addTo);
  addPeerCommands(overlay, addTo);
  addIsolationCommands(overlay, addTo);
  addPortCommands(overlay, addTo);
  add('leave', 'remove this node from its cluster', async (output, { node }: { node?: string }) =>
    (await import('../commands/overlay-command.ts')).leave(node, output),
  ).option('--node <name>', 'on the central node: remove this member, which may be gone already');
  add(
    'disable',
    'leave the cluster, and restore the units of OVN',
    async (output, options: { readonly force?: boolean }) =>
      (await import('../commands/overlay-command.ts')).disable(options, output),
  ).option('--force', 'on the central node: also if the cluster has other members, or its databases are gone');
  addTraceCommand(overlay, addTo);
  addPkiCommands(overlay, addTo);
}

function addGatewayCommand(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay);
  add('gateway', 'make this node a gateway of the cluster', async (output, options: GatewayCommandOptions) =>
    (await import('../commands/overlay-command.ts')).gateway(options, output),
  )
    .option('--bridge <bridge>', 'bridge through which packets leave (default: br-ex)')
    .option('--interface <nic>', 'a dedicated NIC instead of an existing bridge')
    .option(
      '--address <address/length>',
      'source address of these packets; one of each family, separated by a comma (default: auto)',
    )
    .option('--next-hop <address>', 'router of the LAN; one of each family, separated by a comma (default: auto)')
    .option('--vlan <id>', 'VLAN of the NIC (1 to 4094)', vlanId)
    .option('--subnets <subnets>', 'subnets of pods, of any node, whose packets leave here')
    .addOption(
      new Option(
        '--high-availability <how>',
        'vip: if this node fails, the address moves to another gateway with the same address and this option',
      ).choices(['vip']),
    )
    .option('--remove', 'stop being a gateway');
}

function addRoutesCommand(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay);
  add(
    'routes',
    'print static routes by which outside clients reach pods (on the central node)',
    async (output, options: RoutesOptions) =>
      (await import('../commands/overlay-routes-command.ts')).routes(options, output),
  )
    .addOption(
      new Option(
        '--format <format>',
        'syntax of the routes: ip -batch (linux), FRRouting (frr), Cisco IOS (ios) or F5 BIG-IP (bigip)',
      )
        .choices(routeFormats)
        .default('linux'),
    )
    .option('-w, --watch', 'print them again after each change, until Ctrl-C', false);
}

function addTraceCommand(overlay: Command, addTo: AddTo): void {
  const trace = addTo(overlay)(
    'trace <source> <destination>',
    'show why a packet passes or not: its path through OVN and Open vSwitch of this node',
    async (output, source: string, destination: string, options: TraceOptions) =>
      (await import('../commands/overlay-trace-command.ts')).trace(source, destination, options, output),
  );
  trace
    .option('--tcp <port>', 'a TCP packet to this port (1 to 65535)', portNumber)
    .option('--udp <port>', 'a UDP packet to this port (1 to 65535)', portNumber)
    .option('--icmp', 'an echo request (the default)')
    .option('--back', 'also follow the reply')
    .option('--from-node <name>', 'for a source outside of the cluster: node whose gateway receives the packet');
}

function addPkiCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay.command('pki').description('certificates of the nodes'));
  add('init', 'create the certificate authority before the first node', async (output, options: { days?: number }) =>
    (await import('../commands/overlay-pki-command.ts')).init(options, output),
  ).option('--days <days>', 'days for which the authority is valid (1 to 36500; default 3650)', positiveDays);
  const withBundle = (command: Command): Command =>
    command
      .option('--days <days>', 'days for which the certificate is valid (1 to 36500; default 1095)', positiveDays)
      .option('-o, --output-file <file>', 'file for the bundle; - is standard output (default: -)');
  const issue = add(
    'issue <node>',
    'add a member, and write the bundle with which it joins',
    async (output, node: string, options: PkiOptions) =>
      (await import('../commands/overlay-pki-command.ts')).issue(node, options, output),
  );
  const withGrant = (command: Command): Command =>
    command
      .option(
        '--gateway <addresses>',
        'addresses that its gateway may have besides the tunnel address, separated by commas',
      )
      .option(
        '--gateway-subnets <subnets>',
        'subnets of other nodes that may leave through its gateway, separated by commas',
      );
  const withRequest = (command: Command): Command =>
    command.option(
      '--request <file>',
      'file of `overlay pki request` from the node, which keeps its private key; - is standard input',
    );
  withGrant(withRequest(withBundle(issue))).requiredOption(
    '--system-id <id>',
    'system-id of the node, from its /etc/openvswitch/system-id.conf',
  );
  const grant = add(
    'grant <node>',
    'allow the gateway of a member further addresses and subnets',
    async (output, node: string, options: Pick<PkiOptions, 'gateway' | 'gatewaySubnets'> & { revoke?: true }) =>
      (await import('../commands/overlay-pki-command.ts')).grant(node, options, output),
  );
  withGrant(grant).option('--revoke', 'revoke an earlier grant');
  const renew = add(
    'renew [node]',
    'renew the certificate of this node, or write a bundle with which another node joins again',
    async (output, node: string | undefined, options: Pick<PkiOptions, 'days' | 'outputFile' | 'request'>) =>
      (await import('../commands/overlay-pki-command.ts')).renew(node, options, output),
  );
  withRequest(withBundle(renew));
  add(
    'request',
    'create a private key, which stays on this node, and a certificate request for it',
    async (output, options: Pick<PkiOptions, 'outputFile'>) =>
      (await import('../commands/overlay-pki-command.ts')).request(options, output),
  ).option('-o, --output-file <file>', 'file for the request; - is standard output (default: -)');
  add(
    'rotate',
    'replace the authority of the cluster; every member gets a certificate of the new one',
    async (output, options: { readonly finish?: true; readonly days?: number }) =>
      (await import('../commands/overlay-pki-command.ts')).rotate(options, output),
  )
    .option('--finish', 'stop trusting the old authority, even if members still need a new certificate')
    .option('--days <days>', 'days for which the new authority is valid (1 to 36500; default 3650)', positiveDays);
  add('show', 'show the certificates of this node and their expiry', async (output) =>
    (await import('../commands/overlay-pki-command.ts')).show(output),
  );
}
