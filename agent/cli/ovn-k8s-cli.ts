import { Command } from 'commander';
import { openOutput } from '../commands/output.ts';
import type { HelperWords } from '../commands/ovn-k8s-helper-command.ts';
import { exitCode } from '../errors.ts';
import type { GatewayWords, NodeWords } from '../model/ovn-k8s.ts';
import { type AddTo, parseAndRunWith } from './parse.ts';

/** Names of the tools of ovn-kubernetes of 2017 under which the program can be started, each with its commands. */
const programs: Readonly<Record<string, (program: Command, addTo: AddTo, started: readonly string[]) => void>> = {
  'ovn-k8s-overlay': addOverlayInits,
  'ovn-k8s-gateway-helper': addHelper,
  'ovn-k8s-util': addBridges,
};

/** Runs the command line of the tool with this name, started as `path`. Returns exit code 2 for an unknown name. */
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
  program.description("The commands of ovn-kubernetes' first tool, which microshift-net carries out.");
  const add = addTo(program);
  const services = '--service-cluster-ip-range <subnet>';
  const ofServices =
    'the range of services, as of kube-apiserver: packets to a place in it that no service has are rejected';
  const common = (command: Command): Command =>
    command
      .requiredOption('--cluster-ip-subnet <subnet>', 'the subnet of the whole cluster; with IPv6: both, with a comma')
      .requiredOption('--node-name <name>', "the kubelet's name of this node")
      .option('--nb-privkey <file>', 'private key for a northbound database with TLS')
      .option('--nb-cert <file>', 'certificate for it')
      .option('--nb-cacert <file>', 'who signed its certificate');
  common(
    add(
      'master-init',
      'begin a cluster, with this node as its first one',
      async (output, words: NodeWords & { masterSwitchSubnet: string }) =>
        (await import('../commands/ovn-k8s-command.ts')).masterInit(words, output),
    ),
  )
    .requiredOption('--master-switch-subnet <subnet>', 'the part of it for this node')
    .option(services, ofServices);
  common(
    add(
      'minion-init',
      'make this node a member of the cluster',
      async (output, words: NodeWords & { minionSwitchSubnet: string }) =>
        (await import('../commands/ovn-k8s-command.ts')).minionInit(words, output),
    ),
  )
    .requiredOption('--minion-switch-subnet <subnet>', 'the part of it for this node')
    .option(services, ofServices);
  common(
    add('gateway-init', 'make this node a gateway of the cluster', async (output, words: GatewayWords) =>
      (await import('../commands/ovn-k8s-command.ts')).gatewayInit(words, output),
    ),
  )
    .option('--physical-interface <nic>', 'leave by a dedicated NIC')
    .option('--bridge-interface <bridge>', 'leave by the bridge that has the NIC and its address')
    .requiredOption('--physical-ip <address>', 'address of the gateway, with its prefix')
    .option('--default-gw <address>', 'the next router')
    .option('--rampout-ip-subnets <subnets>', 'subnets that leave by this gateway, with commas')
    .option('--rampout-ip-subnet <subnets>', 'another spelling of the same');
}

/**
 * Adds the options that every daemon of Open vSwitch has as well (ovs-vswitchd(8), Daemon Options and Logging Options).
 */
function addHelper(program: Command, addTo: AddTo, started: readonly string[]): void {
  addTo(program)(
    '',
    'Tells apart what arrives for a node and for its gateway, which share a bridge, and stays to keep it so.',
    async (output, words: HelperWords) =>
      (await import('../commands/ovn-k8s-helper-command.ts')).gatewayHelper(words, started, output),
  )
    .requiredOption('--physical-bridge <bridge>', 'the bridge that both share')
    .requiredOption('--physical-interface <nic>', 'the NIC in it')
    .option('--pidfile [file]', 'write the number of the process that stays')
    .option('--overwrite-pidfile', 'nothing: one that names no process of this program is written over')
    .option('--detach', 'go on as a process of its own once it is so for the first time')
    .option('--monitor', 'nothing: systemd starts it again')
    .option('--no-chdir', 'nothing: no file is looked for where it was started')
    .option('--log-file [file]', 'write there what is done later, in place of the journal')
    .option('-v, --verbose [spec]', 'nothing');
}

/**
 * Adds the commands for bridges. Each NIC has a transaction of its own; the first failure ends the command, and the
 * changes of earlier NICs stay.
 */
function addBridges(program: Command, addTo: AddTo): void {
  program.description("The bridges of ovn-kubernetes' first tool, which microshift-net makes.");
  const add = addTo(program);
  const atOnce = { confirmTimeoutSeconds: null, dryRun: false };
  add(
    'nics-to-bridge <nics...>',
    'put each NIC under a bridge br<NIC>, which gets all that is IP of it',
    async (output, nics: string[]) => {
      const bridge = await import('../commands/bridge-command.ts');
      for (const nic of nics) await bridge.add(nic, { ...atOnce, name: null, force: true }, output);
    },
  );
  add(
    'bridges-to-nic <bridges...>',
    'give the NIC of each bridge all of that back',
    async (output, bridges: string[]) => {
      const bridge = await import('../commands/bridge-command.ts');
      for (const name of bridges) await bridge.remove(name, atOnce, output);
    },
  );
}
