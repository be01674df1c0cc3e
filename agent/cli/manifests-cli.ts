import { type Command, Option } from 'commander';
import type { ApplyOptions, ClusterOptions, RenderOptions } from '../commands/manifests-command.ts';
import type { Output } from '../commands/output.ts';
import { AgentError } from '../errors.ts';
import { manifestsFlavors } from '../model/manifest-flavors.ts';
import { positiveSeconds } from './numbers.ts';
import { type AddTo, internalOption } from './parse.ts';

/** Options that a command's function gets although the command has no flag of the same name. */
type Given = 'config' | 'hasMicroshift' | 'output' | 'signal' | 'timeoutSeconds';

/** Default time limits, in seconds, of the commands that use a cluster, as the help of these commands shows them. */
const defaultLimits = { diff: 'no wait', apply: '300', status: 'no wait', delete: '180' } as const;

/** Flags of a command that uses a cluster. */
type ClusterFlags = Omit<ApplyOptions, Given> & { readonly timeout?: number };

/**
 * Adds the commands `manifests render|diff|apply|status|delete`. The Kubernetes client is loaded only by commands that
 * use a cluster.
 */
export function addManifestsCommands(program: Command, addTo: AddTo): void {
  const add = addTo(program.command('manifests').description('the ovn-kubernetes objects of a cluster'));
  const withObjects = (command: Command): Command =>
    command
      .addOption(
        new Option('--flavor <flavor>', 'set of objects (default: manifests.flavor of ovn.yaml)').choices(
          manifestsFlavors,
        ),
      )
      .option('--image <image>', 'image of the containers, instead of the one in ovn.yaml or the MicroShift release')
      .option('--cni-bin-dir <dir>', "directory of the node's CNI plug-ins")
      .option('--control-plane <address>', 'address of the control plane, for multi-node and interconnect');
  const withCluster = (spec: 'diff' | 'apply' | 'status' | 'delete', description: string): Command =>
    withObjects(
      add(spec, description, async (output, flags: ClusterFlags) => {
        const { apply, diff, remove, status } = await import('../commands/manifests-command.ts');
        const command = { apply, diff, status, delete: remove }[spec];
        return command(await clusterOptions(flags, output));
      }),
    )
      .option('--kubeconfig <file>', 'credentials (default: KUBECONFIG, else those of MicroShift)')
      .option(
        '--timeout <seconds>',
        `how long to wait for the cluster (1 to 86400; default ${defaultLimits[spec]})`,
        positiveSeconds,
      );

  const render = add(
    'render',
    'write the objects as YAML; needs no cluster',
    async (output, flags: Omit<RenderOptions, Given>) => {
      const { manifestsInput, render } = await import('../commands/manifests-command.ts');
      return render({ ...flags, ...(await manifestsInput(output)) });
    },
  );
  withObjects(render)
    .option('-o, --directory <dir>', 'directory for one file per object, instead of one stream')
    .option('--kustomization', 'also write kustomization.yaml');
  const runningImage = (command: Command): Command =>
    command.addOption(new Option('--running-image', 'use the image that runs on the cluster').conflicts('image'));
  runningImage(withCluster('diff', 'show what apply would change (exit code 3: something)'));
  runningImage(withCluster('apply', 'apply the objects and remove stale objects'))
    .option('--wait', 'wait until every pod runs the new version')
    .option('--force-conflicts', 'take over fields that another manager owns')
    .addOption(
      internalOption(
        '--unless-microshift',
        'do nothing if MicroShift has objects of its own there, instead of failing',
      ),
    );
  withCluster('status', 'show the state of each DaemonSet and container, with the reason for a failure');
  withCluster('delete', 'delete every object that `manifests apply` created');
}

/**
 * Returns the options of a command that uses a cluster. SIGTERM, SIGINT and SIGHUP abort the AbortSignal in the option
 * `signal`.
 */
async function clusterOptions({ timeout, ...flags }: ClusterFlags, output: Output): Promise<ClusterOptions> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort(stoppedBy(signal)));
  }
  const { clusterInput } = await import('../commands/manifests-command.ts');
  return { ...flags, ...(await clusterInput(output)), timeoutSeconds: timeout, signal: stop.signal };
}

function stoppedBy(signal: string): AgentError {
  return new AgentError('interrupted', `stopped by ${signal}`, {
    hint: 'run it again: what is on the server stays, and it goes on from there',
  });
}
