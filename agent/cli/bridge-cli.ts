import type { Command } from 'commander';
import { confirmTimeout, positiveSeconds } from './numbers.ts';
import { type AddTo, internalOption } from './parse.ts';

interface Flags {
  readonly dryRun: boolean;
  readonly confirmTimeout?: number;
}

/** Adds the commands `bridge …`, for further Open vSwitch bridges beside br-ex. */
export function addBridgeCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program.command('bridge').description('bridges of Open vSwitch for other NICs, beside br-ex'));
  const tried = (command: Command): Command =>
    command
      .option(confirmTimeout.flags, confirmTimeout.description, positiveSeconds)
      .option('--dry-run', 'show the plan, and change nothing', false);
  tried(
    add(
      'add <nic>',
      'make a NIC the uplink of a bridge of its own, which gets its IP settings, also after a reboot',
      async (output, nic: string, flags: Flags & { name?: string; force: boolean }) => {
        const { name, confirmTimeout: seconds, dryRun, force } = flags;
        const options = { name: name ?? null, confirmTimeoutSeconds: seconds ?? null, dryRun, force };
        return (await import('../commands/bridge-command.ts')).add(nic, options, output);
      },
    )
      .option('--name <bridge>', 'name of the bridge (default: br and the name of the NIC)')
      .option('--force', 'use the NIC even if br-ex cannot be made without it', false),
  );
  tried(
    add(
      'remove <nic-or-bridge>',
      'return the NIC to its own profile, and remove the bridge',
      async (output, name: string, { confirmTimeout: seconds, dryRun }: Flags) => {
        const options = { confirmTimeoutSeconds: seconds ?? null, dryRun };
        return (await import('../commands/bridge-command.ts')).remove(name, options, output);
      },
    ),
  );
  add('list', 'list the bridges of `bridge add` (exit code 3: drift)', async (output) =>
    (await import('../commands/bridge-command.ts')).list(output),
  );
  add(
    'apply',
    'bring the bridges of `bridge add` into their desired state, as at boot',
    async (output, { stop }: { stop: boolean }) => {
      const commands = await import('../commands/bridge-command.ts');
      return stop ? commands.detachForStop(output) : commands.applyAdded(output);
    },
  ).addOption(
    internalOption(
      '--stop',
      'as the unit runs it before Open vSwitch stops: return their NICs, and keep the list of bridges',
    ),
  );
}
