import { type Command, Option } from 'commander';
import type { ClusterOptions, ManifestsOptions } from '../commands/manifests-options.ts';
import type { Output } from '../commands/output.ts';
import { AgentError, type ExitCode } from '../errors.ts';
import type { ManifestsFlavor } from '../model/config.ts';
import { positiveSeconds } from './numbers.ts';

/** Flags that decide the objects. */
interface ObjectFlags {
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDir?: string;
  readonly controlPlane?: string;
}

/** Flags of what talks to a cluster. */
interface ClusterFlags extends ObjectFlags {
  readonly kubeconfig?: string;
  readonly timeout?: number;
}

/** `manifests render|diff|apply|status|delete`; the Kubernetes client is loaded only by those that need a cluster. */
export function addManifestsCommands(program: Command, done: (code: ExitCode) => void, output: () => Output): void {
  const manifests = program.command('manifests').description('the ovn-kubernetes objects of a cluster').exitOverride();
  const withObjects = (spec: string, description: string): Command =>
    manifests
      .command(spec)
      .description(description)
      .exitOverride()
      .addOption(
        new Option('--flavor <flavor>', 'which set of objects').choices(['auto', 'classic', 'no-uplink', 'multi-node']),
      )
      .option('--image <image>', 'image of the containers, instead of the one in ovn.yaml or the MicroShift release')
      .option('--cni-bin-dir <dir>', 'where the node looks for CNI plug-ins')
      .option('--control-plane <address>', 'address of the control plane, for multi-node');
  const withCluster = (spec: string, description: string): Command =>
    withObjects(spec, description)
      .option('--kubeconfig <file>', 'credentials; KUBECONFIG and MicroShift’s own otherwise')
      .option('--timeout <seconds>', 'how long to wait for the cluster', positiveSeconds);

  withObjects('render', 'write the objects as YAML; needs no cluster')
    .option('-o, --directory <dir>', 'a file per object in this directory instead of one stream')
    .option('--kustomization', 'also write kustomization.yaml')
    .action(async (flags: ObjectFlags & { directory?: string; kustomization?: boolean }) => {
      const { render } = await import('../commands/manifests.ts');
      done(await render({ ...(await common(flags, output())), ...pick(flags, ['directory', 'kustomization']) }));
    });
  withCluster('diff', 'show what apply would change: 0 nothing, 3 something').action(async (flags: ClusterFlags) => {
    const { diff } = await import('../commands/manifests.ts');
    done(await interruptible(flags, output(), diff));
  });
  withCluster('apply', 'put the objects on the server and remove what is wanted no more')
    .option('--wait', 'until every pod runs the new version')
    .option('--force-conflicts', 'take over fields that somebody else owns')
    .action(async (flags: ClusterFlags & { wait?: boolean; forceConflicts?: boolean }) => {
      const { apply } = await import('../commands/manifests.ts');
      const more = pick(flags, ['wait', 'forceConflicts']);
      done(await interruptible(flags, output(), (options) => apply({ ...options, ...more })));
    });
  withCluster('status', 'every daemonset and container, and why not').action(async (flags: ClusterFlags) => {
    const { status } = await import('../commands/manifests.ts');
    done(await interruptible(flags, output(), status));
  });
  withCluster('delete', 'remove everything apply has put there').action(async (flags: ClusterFlags) => {
    const { remove } = await import('../commands/manifests.ts');
    done(await interruptible(flags, output(), remove));
  });
}

async function common(flags: ObjectFlags, output: Output): Promise<ManifestsOptions> {
  const { manifestsInput } = await import('../commands/manifests-input.ts');
  return { ...(await manifestsInput(output)), ...pick(flags, ['flavor', 'image', 'cniBinDir', 'controlPlane']) };
}

/** Runs a command of a cluster until it ends or is told to stop. */
async function interruptible<T extends ExitCode>(
  flags: ClusterFlags,
  output: Output,
  command: (options: ClusterOptions) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort(stoppedBy(signal)));
  }
  const cluster: Omit<ClusterOptions, keyof ManifestsOptions> = {
    note: (line) => output.say(line),
    signal: stop.signal,
    ...(flags.kubeconfig === undefined ? {} : { kubeconfig: flags.kubeconfig }),
    ...(flags.timeout === undefined ? {} : { timeoutSeconds: flags.timeout }),
  };
  return command({ ...(await common(flags, output)), ...cluster });
}

function stoppedBy(signal: string): AgentError {
  return new AgentError('interrupted', `stopped by ${signal}`, {
    hint: 'run it again: what is on the server stays, and it goes on from there',
  });
}

/** The flags that were given, under the names the command knows them by. */
function pick<T extends object, K extends keyof T>(flags: T, keys: readonly K[]): { [P in K]: NonNullable<T[P]> } {
  const given = keys.filter((key) => flags[key] !== undefined).map((key) => [key, flags[key]]);
  return Object.fromEntries(given) as { [P in K]: NonNullable<T[P]> };
}
