import type { Command } from 'commander';
import type { PkiOptions } from '../commands/overlay-pki.ts';
import type { AddTo } from './add-command.ts';
import { positiveDays } from './numbers.ts';

/** `overlay …`: a cluster network of our own on OVN, for a few nodes. */
export function addOverlayCommands(program: Command, addTo: AddTo): void {
  const overlay = program.command('overlay').description('a network of our own for a small cluster, on OVN');
  const add = addTo(overlay);
  add('init', 'make this node the central one of a new cluster, and show how others join', async (output) =>
    (await import('../commands/overlay.ts')).init(output),
  );
  add('join <bundle>', 'join the cluster of a bundle of pki issue; - is standard input', async (output, file: string) =>
    (await import('../commands/overlay.ts')).join(file, output),
  );
  add('plan', 'show everything overlay apply would do, and touch nothing', async (output) =>
    (await import('../commands/overlay.ts')).plan(output),
  );
  add('apply', "bring this node's rows, certificates and addresses to its part in the cluster", async (output) =>
    (await import('../commands/overlay.ts')).apply(output),
  );
  add('verify', 'compare this node with its part in the cluster: 0 as wanted, 3 drift', async (output) =>
    (await import('../commands/overlay.ts')).verify(output),
  );
  add('run', 'keep this node at its part in the cluster, as the unit does, until it is stopped', async (output) =>
    (await import('../commands/overlay-run.ts')).run(output),
  );
  add('status', 'what this node is in the cluster, and how its daemon and its tunnels are', async (output) =>
    (await import('../commands/overlay-status.ts')).status(output),
  );
  add('nodes', 'the nodes of the cluster, on the central node', async (output) =>
    (await import('../commands/overlay.ts')).nodes(output),
  );
  add('leave', 'take this node out of its cluster', async (output, { node }: { node?: string }) =>
    (await import('../commands/overlay.ts')).leave(node, output),
  ).option('--node <name>', 'on the central node: take another one out, whether it still is there or not');
  addPkiCommands(overlay, addTo);
}

function addPkiCommands(overlay: Command, addTo: AddTo): void {
  const add = addTo(overlay.command('pki').description('certificates of the nodes'));
  const withBundle = (command: Command): Command =>
    command
      .option('--days <days>', 'how long the certificate is valid (1095)', positiveDays)
      .option('-o, --output-file <file>', 'where the bundle goes; - is standard output (the default)');
  const issue = add(
    'issue <node>',
    'make a node a member, and give the bundle it joins with',
    async (output, node: string, options: PkiOptions) =>
      (await import('../commands/overlay-pki.ts')).issue(node, options, output),
  );
  withBundle(issue).requiredOption('--system-id <id>', 'what the node has in /etc/openvswitch/system-id.conf');
  const renew = add(
    'renew [node]',
    'a new certificate: for this node, or as a bundle with which another one joins again',
    async (output, node: string | undefined, options: Omit<PkiOptions, 'systemId'>) =>
      (await import('../commands/overlay-pki.ts')).renew(node, options, output),
  );
  withBundle(renew);
  add('show', 'the certificates on this node, and how long each is valid', async (output) =>
    (await import('../commands/overlay-pki.ts')).show(output),
  );
}
