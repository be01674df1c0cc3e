import type { Command } from 'commander';
import type { ClusterOptions, EnableOptions } from '../commands/overlay-isolation-command.ts';
import { defaultGlobalNamespaces, defaultGroupLabel } from '../model/namespace-isolation.ts';
import type { AddTo } from './parse.ts';

/** Adds the commands `overlay isolation …` of the central node, which separate namespaces from each other. */
export function addIsolationCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay.command('isolation').description('namespaces whose pods do not reach each other'));
  const withCredentials = (command: Command): Command =>
    command.option('--kubeconfig <file>', 'credentials of an administrator (default: overlay.kubeconfig of ovn.yaml)');
  withCredentials(
    add(
      'enable',
      'separate namespaces from each other, except global ones and those of the same group',
      async (output, options: EnableOptions) =>
        (await import('../commands/overlay-isolation-command.ts')).enable(options, output),
    ),
  )
    .option(
      '--global <namespace...>',
      `namespaces that all others reach and that reach all others (default: ${defaultGlobalNamespaces.join(' ')})`,
    )
    .option('--group-label <key>', `label of namespaces whose value is their group (default: ${defaultGroupLabel})`);
  withCredentials(
    add('disable', 'let all namespaces reach each other again', async (output, options: ClusterOptions) =>
      (await import('../commands/overlay-isolation-command.ts')).disable(options, output),
    ),
  );
  withCredentials(
    add(
      'show',
      'print which namespaces reach which, by the policies of all tiers',
      async (output, options: ClusterOptions) =>
        (await import('../commands/overlay-isolation-command.ts')).show(options, output),
    ),
  );
}
