import { Command } from 'commander';
import { openOutput } from '../commands/output.ts';
import type { HelperWords } from '../commands/ovn-k8s-helper-command.ts';
import { exitCode } from '../errors.ts';
import type { GatewayWords, NodeWords } from '../model/ovn-k8s.ts';
import { type AddTo, parseAndRunWith } from './parse.ts';

/**
 * Tools of ovn-kubernetes of 2017, each with a function that adds its commands. The program can be started under the
 * name of each tool.
 */
const programs: Readonly<Record<string, (program: Command, addTo: AddTo, started: readonly string[]) => void>> = {
  'ovn-k8s-overlay': addOverlayInits,
  'ovn-k8s-gateway-helper': addHelper,
  'ovn-k8s-util': addBridges,
};

/**
 * Runs the command line of the tool `name`, which was started under the path `path`. Returns exit code 2 for an unknown
 * name.
 */
export async function parseAndRunAs(name: string, path: string, words: readonly string[]): Promise<number> {
  const addCommands = programs[name];
  const open = () => openOutput('text', false);
  if (addCommands === undefined) {
    open().say(`${name}: this program is not one of ${Object.keys(programs).join(', ')}`);
    return exitCode.usage;
  }
  const program = new Command(name);
  return parseAndRunWith(program, words, open, (addTo) => addCommands(program, addTo, [path, ...words]));
}

function addOverlayInits(program: Command, addTo: AddTo): void {
  program.description("Runs the commands of ovn-kubernetes' first tool.");
  const add = addTo(program);
  const services = '--service-cluster-ip-range <subnet>';
  const ofServices =
    'range of services, as for kube-apiserver; packets to an address or port in it without a service are rejected';
  const common = (command: Command): Command =>
    command
      .requiredOption(
        '--cluster-ip-subnet <subnet>',
        'subnet of the whole cluster; with IPv6 one of each family, separated by a comma',
      )
      .requiredOption('--node-name <name>', 'name of this node in Kubernetes')
      .option('--nb-privkey <file>', 'private key for a northbound database with TLS')
      .option('--nb-cert <file>', 'certificate of that key')
      .option('--nb-cacert <file>', 'certificate of the authority that signed the certificate of the database');
  common(
    add(
      'master-init',
      'begin a cluster, with this node as its first node',
      async (output, words: NodeWords & { masterSwitchSubnet: string }) =>
        (await import('../commands/ovn-k8s-command.ts')).masterInit(words, output),
    ),
  )
    .requiredOption('--master-switch-subnet <subnet>', 'part of the cluster subnet for this node')
    .option(services, ofServices);
  common(
    add(
      'minion-init',
      'make this node a member of the cluster',
      async (output, words: NodeWords & { minionSwitchSubnet: string }) =>
        (await import('../commands/ovn-k8s-command.ts')).minionInit(words, output),
    ),
  )
    .requiredOption('--minion-switch-subnet <subnet>', 'part of the cluster subnet for this node')
    .option(services, ofServices);
  common(
    add('gateway-init', 'make this node a gateway of the cluster', async (output, words: GatewayWords) =>
      (await import('../commands/ovn-k8s-command.ts')).gatewayInit(words, output),
    ),
  )
    .option('--physical-interface <nic>', 'dedicated NIC through which packets leave')
    .option('--bridge-interface <bridge>', 'bridge through which packets leave, with the NIC and its address')
    .requiredOption('--physical-ip <address>', 'address of the gateway, with its prefix length')
    .option('--default-gw <address>', 'router of the LAN')
    .option('--rampout-ip-subnets <subnets>', 'subnets whose packets leave here, separated by commas')
    .option('--rampout-ip-subnet <subnets>', 'the same as --rampout-ip-subnets');
}

/**
 * Adds the command of `ovn-k8s-gateway-helper`. Its options from `--pidfile` on are those of every daemon of Open
 * vSwitch (ovs-vswitchd(8), Daemon Options and Logging Options).
 */
function addHelper(program: Command, addTo: AddTo, started: readonly string[]): void {
  addTo(program)(
    '',
    'Separates the packets for a node from those for its gateway, which share a bridge, and keeps running to maintain that.',
    async (output, words: HelperWords) =>
      (await import('../commands/ovn-k8s-helper-command.ts')).gatewayHelper(words, started, output),
  )
    .requiredOption('--physical-bridge <bridge>', 'bridge that the node and its gateway share')
    .requiredOption('--physical-interface <nic>', 'NIC of this bridge')
    .option('--pidfile [file]', 'file for the number of the process')
    .option('--overwrite-pidfile', 'no effect: a file that names no process of this program is always overwritten')
    .option('--detach', 'continue in the background after the first success')
    .option('--monitor', 'no effect: systemd starts the program again')
    .option('--no-chdir', 'no effect: no file is read from the current directory')
    .option('--log-file [file]', 'file for later messages, instead of the journal')
    .option('-v, --verbose [spec]', 'no effect');
}

/**
 * Adds the commands that make NICs uplinks of bridges, and that remove these bridges. Each NIC has a transaction of its
 * own; the first failure ends the command, and the changes of earlier NICs stay.
 */
function addBridges(program: Command, addTo: AddTo): void {
  program.description("Makes and removes bridges as ovn-kubernetes' first tool did.");
  const add = addTo(program);
  const atOnce = { confirmTimeoutSeconds: null, dryRun: false };
  add(
    'nics-to-bridge <nics...>',
    'make each NIC the uplink of a bridge br<NIC>, which gets its IP settings',
    async (output, nics: string[]) => {
      const bridge = await import('../commands/bridge-command.ts');
      for (const nic of nics) await bridge.add(nic, { ...atOnce, name: null, force: true }, output);
    },
  );
  add(
    'bridges-to-nic <bridges...>',
    'return the IP settings to the NIC of each bridge, and remove the bridge',
    async (output, bridges: string[]) => {
      const bridge = await import('../commands/bridge-command.ts');
      for (const name of bridges) await bridge.remove(name, atOnce, output);
    },
  );
}
