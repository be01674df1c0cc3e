import { Argument, type Command, Option } from 'commander';
import { type Output, openOutput } from '../commands/output.ts';
import { agentVersion } from '../version.ts';
import { AgentCommand } from './agent-command.ts';
import { addBridgeCommands } from './bridge-cli.ts';
import { completionScript, type Shell, shells } from './completion.ts';
import { helpEnd, helpGroups } from './help-text.ts';
import { addManifestsCommands } from './manifests-cli.ts';
import { confirmTimeout, positiveSeconds } from './numbers.ts';
import { addOverlayCommands } from './overlay-cli.ts';
import { type AddTo, helpWidth, internalOption, parseAndRunWith } from './parse.ts';

// The parser of the ovn-k8s tools is exported here, because the build puts all code that parses a command line into one
// file, together with this module.
export { parseAndRunAs } from './ovn-k8s-cli.ts';

/**
 * Parses the command line, runs the command and returns the exit code. The module of a command is loaded only for that
 * command.
 */
export async function parseAndRun(words: readonly string[]): Promise<number> {
  const program = new AgentCommand('microshift-net')
    .description("Turns a node's NIC into the uplink of the Open vSwitch bridge br-ex, as one transaction.")
    .version(agentVersion, '-V, --version', 'show the version')
    .addOption(
      new Option('--output <format>', 'how to print results, also -o json').choices(['text', 'json']).default('text'),
    )
    .option('-v, --verbose', 'show more about decisions and errors', false)
    .helpOption('-h, --help', 'show this help')
    .addHelpText('afterAll', ({ command }) => helpEnd(command, helpWidth(process.stdout)));
  const open = (): Output => {
    const { output: format, verbose } = program.opts<{ output: 'text' | 'json'; verbose: boolean }>();
    return openOutput(format, verbose);
  };
  return parseAndRunWith(program, words, open, (addTo) => {
    program.commandsGroup(helpGroups.look);
    addLookCommands(program, addTo);
    program.commandsGroup(helpGroups.change);
    addRunCommands(program, addTo);
    program.commandsGroup(helpGroups.parts);
    addBridgeCommands(program, addTo);
    addOvsCommands(program, addTo);
    addManifestsCommands(program, addTo);
    addOverlayCommands(program, addTo);
    program.commandsGroup(helpGroups.more);
    addSupportCommands(program, addTo);
    program.helpCommand('help [command]', 'show the help of a command');
  });
}

function addRunCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program);
  interface ApplyFlags {
    readonly boot: boolean;
    readonly repair: boolean;
    readonly dryRun: boolean;
    readonly confirmTimeout?: number;
  }
  add(
    'apply',
    'bring the node into the state that ovn.yaml describes, and prove the result',
    async (output, { boot, repair, dryRun, confirmTimeout: seconds }: ApplyFlags) => {
      if (dryRun) return (await import('../commands/plan-command.ts')).plan(output);
      const commands = await import('../commands/apply-command.ts');
      if (repair) return commands.repair(output);
      return commands.apply({ boot, confirmTimeoutSeconds: seconds ?? null }, output);
    },
  )
    .addOption(
      new Option('--dry-run', 'the same as plan').default(false).conflicts(['boot', 'repair', 'confirmTimeout']),
    )
    .addOption(internalOption('--boot', 'as the unit runs it at boot'))
    .addOption(
      internalOption(
        '--repair',
        'as the unit runs it after an event: back to what the last run that was kept made of br-ex',
      ),
    )
    .option(confirmTimeout.flags, confirmTimeout.description, positiveSeconds);
  add('confirm', 'keep a change that was made with --confirm-timeout', async (output) =>
    (await import('../commands/undo-command.ts')).confirm(output),
  );
  add(
    'undo [transaction]',
    'return to the state before a transaction (default: the last one of a person)',
    async (output, id?: string) => (await import('../commands/undo-command.ts')).undo(id, output),
  );
  add(
    'recover',
    'roll back an interrupted transaction, and do nothing else',
    async (output, flags: { boot: boolean }) =>
      (await import('../commands/recover-command.ts')).recover(flags.boot, output),
  ).addOption(internalOption('--boot', 'as the unit runs it before NetworkManager and ovs-vswitchd'));
  add(
    'disable',
    'return the NIC of br-ex to its own profile, and remove br-ex, its profiles and the tuning',
    async (output, { stop, all, dryRun }: { stop: boolean; all: boolean; dryRun: boolean }) => {
      const commands = await import('../commands/apply-command.ts');
      return stop ? commands.disableForStop(output) : commands.disable({ all, dryRun }, output);
    },
  )
    .option('--all', 'also return the NICs of `bridge add`, and remove these bridges', false)
    .option('--dry-run', 'show the plan, and change nothing', false)
    .addOption(internalOption('--stop', 'as the unit runs it before Open vSwitch stops: hint and tuning stay'));
}

function addLookCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program);
  add('plan', 'show everything apply would do, without changing anything', async (output) =>
    (await import('../commands/plan-command.ts')).plan(output),
  );
  add('verify', 'compare the node with its desired state (exit code 3: drift)', async (output) =>
    (await import('../commands/plan-command.ts')).verify(output),
  );
  add(
    'status',
    'one screen: bridges, uplinks, addresses, last transaction, next step',
    async (output, { watch }: { watch: boolean }) => {
      const commands = await import('../commands/status-command.ts');
      return watch ? commands.watchStatus(output) : commands.status(output);
    },
  ).option('-w, --watch', 'show it again after each change, at most once a second, until Ctrl-C', false);
  add(
    'doctor',
    'check everything that br-ex needs, and name the fix of each fault (exit code 3: a check failed)',
    async (output) => (await import('../commands/doctor-command.ts')).doctor(output),
  );
  add('history [transaction]', 'list transactions, or show one', async (output, id?: string) =>
    (await import('../commands/history-command.ts')).history(id, output),
  );
  const addConfig = addTo(program.command('config').description('check, show or describe ovn.yaml'));
  addConfig('check [file]', 'validate ovn.yaml, with line, column and suggestion', async (output, file?: string) =>
    (await import('../commands/config-command.ts')).configCheck(file, output),
  );
  addConfig('show [file]', 'show the effective values and where each came from', async (output, file?: string) =>
    (await import('../commands/config-command.ts')).configShow(file, output),
  );
  addConfig('schema', 'print the JSON Schema of ovn.yaml', async (output) =>
    (await import('../commands/config-command.ts')).configSchema(output),
  );
}

function addOvsCommands(program: Command, addTo: AddTo): void {
  const addOvs = addTo(program.command('ovs').description('settings of the daemons of Open vSwitch'));
  addOvs('tune', 'set CPU affinity, threads and memory as in ovn.yaml, without a restart', async (output) =>
    (await import('../commands/ovs-command.ts')).ovsTune(output),
  );
  const addFirewall = addTo(program.command('firewall').description('let traffic of pods through firewalld'));
  addFirewall('check', 'show which pod networks firewalld does not trust (exit code 3: some)', async (output) =>
    (await import('../commands/firewall-command.ts')).firewall('check', output),
  );
  addFirewall('apply', 'trust the pod networks now and after a reboot, without a reload of firewalld', async (output) =>
    (await import('../commands/firewall-command.ts')).firewall('apply', output),
  );
}

function addSupportCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program);
  add(
    'support-bundle',
    'collect the data that support needs in one archive, without secrets',
    async (output, { outputFile }: { outputFile?: string }) =>
      (await import('../commands/support-bundle-command.ts')).supportBundle(outputFile, output),
  ).option(
    '-o, --output-file <file>',
    'file for the archive; - is standard output (default: /var/tmp/microshift-net-TIME.tar.gz)',
  );
  add('completion', 'print the completion script of a shell', async (output, shellName: Shell) => {
    const { printCompletion } = await import('../commands/completion-command.ts');
    printCompletion(shellName, completionScript(program, shellName), output);
  }).addArgument(new Argument('<shell>', 'the shell').choices(shells));
  const events = ['post-install', 'post-upgrade', 'pre-uninstall'] as const;
  add(
    'hook',
    'called by the scriptlets of the package; safe where nothing runs',
    async (output, event: (typeof events)[number]) => (await import('../commands/hook-command.ts')).hook(event, output),
    { hidden: true },
  ).addArgument(new Argument('<event>', 'what happened').choices(events));
}
