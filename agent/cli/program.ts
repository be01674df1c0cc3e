import { Argument, Command, CommanderError, Option } from 'commander';
import { type Output, openOutput } from '../commands/output.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { agentVersion } from '../version.ts';
import { reportFailure } from './failure.ts';
import { addManifestsCommands } from './manifests.ts';
import { positiveSeconds } from './numbers.ts';

/** Parses the command line, runs it and returns the exit code; every command module is loaded only when it is chosen. */
export async function parseAndRun(words: readonly string[]): Promise<number> {
  let code: ExitCode | undefined;
  let opened: Output | undefined;
  const output = (): Output => {
    opened ??= outputOf(program);
    return opened;
  };
  const program = commandTree((result) => {
    code = result;
  }, output);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return code ?? exitCode.done;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCode.done : exitCode.usage;
    return reportFailure(error, output());
  } finally {
    await opened?.written();
  }
}

function commandTree(done: (code: ExitCode) => void, output: () => Output): Command {
  const program = new Command('microshift-net')
    .description("Turns a node's NIC into the uplink of the Open vSwitch bridge br-ex, as one transaction.")
    .version(agentVersion)
    .addOption(new Option('--output <format>', 'how to print results').choices(['text', 'json']).default('text'))
    .option('-v, --verbose', 'say more about decisions and errors', false)
    .exitOverride()
    .showHelpAfterError('(see microshift-net --help)');
  const command = (spec: string, description: string): Command => program.command(spec).description(description);

  command('apply', 'observe, plan, run and prove: bring the node to what ovn.yaml says')
    .option('--boot', 'as the unit runs it at boot', false)
    .option(
      '--repair',
      'as the unit runs it after an event: back to what the last run that was kept made of br-ex',
      false,
    )
    .option('--confirm-timeout <seconds>', 'take the change back unless `confirm` follows in time', positiveSeconds)
    .action(async ({ boot, repair, confirmTimeout }: { boot: boolean; repair: boolean; confirmTimeout?: number }) => {
      const commands = await import('../commands/apply.ts');
      const options = { boot, confirmTimeoutSeconds: confirmTimeout ?? null };
      done(await (repair ? commands.repair(output()) : commands.apply(options, output())));
    });
  command('confirm', 'keep a change that was tried with apply --confirm-timeout').action(async () => {
    const { confirm } = await import('../commands/undo.ts');
    done(await confirm(output()));
  });
  command('undo [transaction]', 'go back to before a transaction (the last one)').action(async (id?: string) => {
    const { undo } = await import('../commands/undo.ts');
    done(await undo(id, output()));
  });
  command('recover', 'end what a run that died has left, and nothing else')
    .option('--boot', 'as the unit runs it before NetworkManager and ovs-vswitchd', false)
    .action(async ({ boot }: { boot: boolean }) => {
      const { recover } = await import('../commands/recover.ts');
      done(await recover(boot, output()));
    });
  command('history [transaction]', 'list transactions, or show one').action(async (id?: string) => {
    const { history } = await import('../commands/history.ts');
    done(history(id, output()));
  });
  command('plan', 'show everything apply would do, and touch nothing').action(async () => {
    const { plan } = await import('../commands/plan.ts');
    done(await plan(output()));
  });
  command('verify', 'compare the node with what it should be: 0 as wanted, 3 drift').action(async () => {
    const { verify } = await import('../commands/plan.ts');
    done(await verify(output()));
  });
  command('status', 'one screen: bridges, uplinks, addresses, last transaction, next step').action(async () => {
    const { status } = await import('../commands/status.ts');
    done(await status(output()));
  });
  command('doctor', 'check everything br-ex needs, each with its fix: 0 fine, 3 a check failed').action(async () => {
    const { doctor } = await import('../commands/doctor.ts');
    done(await doctor(output()));
  });
  command('support-bundle', 'put all that helps to see what is wrong into one archive, without secrets')
    .option('-o, --output-file <file>', 'where to; - is standard output (default: /var/tmp/microshift-net-TIME.tar.gz)')
    .action(async (options: { outputFile?: string }) => {
      const { supportBundle } = await import('../commands/support-bundle.ts');
      done(await supportBundle(options.outputFile, output()));
    });
  command('disable', 'give the NIC back and remove every trace').action(async () => {
    const { disable } = await import('../commands/apply.ts');
    done(await disable(output()));
  });
  const ovs = program.command('ovs').description('how the daemons of Open vSwitch run');
  ovs
    .command('tune')
    .description('CPU affinity, threads and memory as ovn.yaml says, without a restart')
    .action(async () => {
      const { ovsTune } = await import('../commands/ovs.ts');
      done(await ovsTune(output()));
    });
  const firewall = program.command('firewall').description('let traffic of pods through firewalld');
  for (const [action, description] of [
    ['check', 'what firewalld does not trust: 0 nothing, 3 something'],
    ['apply', 'trust it now and for good, without a reload'],
  ] as const) {
    firewall
      .command(action)
      .description(description)
      .action(async () => {
        const { firewall: run } = await import('../commands/firewall.ts');
        done(await run(action, output()));
      });
  }
  const events = new Argument('<event>', 'what happened').choices(['post-install', 'post-upgrade', 'pre-uninstall']);
  command('hook', 'called by the scriptlets of the package; safe where nothing runs')
    .addArgument(events)
    .action(async (event: 'post-install' | 'post-upgrade' | 'pre-uninstall') => {
      const { hook } = await import('../commands/hook.ts');
      done(await hook(event, output()));
    });
  addManifestsCommands(program, done, output);
  addConfigCommands(program, done, output);
  return program;
}

function addConfigCommands(program: Command, done: (code: ExitCode) => void, output: () => Output): void {
  const config = program.command('config').description('check, show or describe ovn.yaml');
  config
    .command('check [file]')
    .description('validate ovn.yaml, with line, column and suggestion')
    .action(async (file?: string) => {
      const { configCheck } = await import('../commands/config.ts');
      done(configCheck(file, output()));
    });
  config
    .command('show [file]')
    .description('show the effective values and where each came from')
    .action(async (file?: string) => {
      const { configShow } = await import('../commands/config.ts');
      done(configShow(file, output()));
    });
  config
    .command('schema')
    .description('print the JSON Schema of ovn.yaml')
    .action(async () => {
      const { configSchema } = await import('../commands/config.ts');
      done(configSchema(output()));
    });
}

function outputOf(program: Command): Output {
  const { output, verbose } = program.opts<{ output: 'text' | 'json'; verbose: boolean }>();
  return openOutput(output, verbose);
}
