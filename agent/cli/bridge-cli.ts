import type { Command } from 'commander';
import { positiveSeconds } from './numbers.ts';
import type { AddTo } from './parse.ts';

interface Flags {
  readonly confirmTimeout?: number;
}

/** Adds the commands `bridge …`: a bridge for any NIC, by the same transaction as br-ex. */
export function addBridgeCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program.command('bridge').description('a bridge of Open vSwitch for any NIC, beside br-ex'));
  const tried = (command: Command): Command =>
    command.option('--confirm-timeout <seconds>', 'roll back unless `confirm` follows in time', positiveSeconds);
  tried(
    add(
      'add <nic>',
      'put a NIC with all that is IP of it under a bridge of its own, for good',
      async (output, nic: string, { name, confirmTimeout }: Flags & { name?: string }) => {
        const options = { name: name ?? null, confirmTimeoutSeconds: confirmTimeout ?? null };
        return (await import('../commands/bridge-command.ts')).add(nic, options, output);
      },
    ).option('--name <bridge>', 'what the bridge is called (br and the name of the NIC)'),
  );
  tried(
    add(
      'remove <nic-or-bridge>',
      'give the NIC of such a bridge back to its own profile',
      async (output, name: string, { confirmTimeout }: Flags) =>
        (await import('../commands/bridge-command.ts')).remove(
          name,
          { confirmTimeoutSeconds: confirmTimeout ?? null },
          output,
        ),
    ),
  );
  add('list', 'the bridges that bridge add has made: 0 as wanted, 3 drift', async (output) =>
    (await import('../commands/bridge-command.ts')).list(output),
  );
  add(
    'apply',
    'bring these bridges, and no others, to what they were made to be; at boot, too',
    async (output, { stop }: { stop: boolean }) => {
      const commands = await import('../commands/bridge-command.ts');
      return stop ? commands.detachForStop(output) : commands.applyAdded(output);
    },
  ).option(
    '--stop',
    'as the unit runs it before Open vSwitch stops: returns their NICs and keeps the list of bridges',
    false,
  );
}
