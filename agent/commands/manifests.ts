import { writeManifestFiles } from '../drivers/kubernetes/manifest-files.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { managedByLine } from '../manifests/object.ts';
import { refuseBesideMicroshift } from '../manifests/ownership.ts';
import { yamlFiles, yamlStream } from '../manifests/yaml.ts';
import { microshiftRenders } from '../model/config.ts';
import { applyText, deleteText, diffText, statusText } from '../view/manifests-view.ts';
import { applyObjects } from './manifests-apply.ts';
import { withCluster } from './manifests-cluster.ts';
import { deleteObjects } from './manifests-delete.ts';
import { diffObjects } from './manifests-diff.ts';
import { type ClusterOptions, type ManifestsOptions, renderedFor, renderedObjects } from './manifests-input.ts';
import { readStates } from './manifests-rollout.ts';

/** Longer than MicroShift takes to boot on a small node (2 to 4 minutes); what comes up later is started again by the unit. */
const applyLimitSeconds = 300;
/** Pods have 30 s to end, and a namespace goes after everything in it. */
const deleteLimitSeconds = 180;
/** A person who asks wants an answer, not to wait for a boot. */
const askLimitSeconds = 0;

export interface RenderOptions extends ManifestsOptions {
  /** Write a file per object into this directory instead of one stream to the output. */
  readonly directory?: string;
  /** Also write kustomization.yaml, which lists them. */
  readonly kustomization?: boolean;
}

export interface ApplyOptions extends ClusterOptions {
  /** Wait until every pod runs the new version. */
  readonly wait?: boolean;
  readonly forceConflicts?: boolean;
  /** Do nothing where MicroShift puts its own on the cluster, instead of refusing to: for a unit that runs on every node. */
  readonly unlessMicroshift?: boolean;
}

/** `manifests render`: the objects as YAML (or a JSON list), to the output or into a directory. Needs no cluster. */
export async function render(options: RenderOptions): Promise<void> {
  const { objects } = renderedObjects(options);
  const { directory, kustomization = false, output } = options;
  if (directory !== undefined) writeManifestFiles(directory, yamlFiles(objects, kustomization), managedByLine);
  else output.result(yamlStream(objects).slice(0, -1), { apiVersion: 'v1', kind: 'List', items: objects });
}

/** `manifests diff`: what an apply would change; drift when there is something. */
export async function diff(options: ClusterOptions): Promise<ExitCode> {
  const rendered = renderedFor(options);
  const result = await withCluster(options, askLimitSeconds, async ({ cluster }) => {
    const { flavor, objects } = await rendered(cluster);
    return { flavor, differences: await diffObjects(cluster, objects) };
  });
  options.output.result(diffText(result.differences, options.output.style), result);
  return result.differences.length === 0 ? exitCode.done : exitCode.drift;
}

/** `manifests apply`: puts the objects on the server and removes what is wanted no more; with `wait` until the pods run. */
export async function apply(options: ApplyOptions): Promise<ExitCode> {
  const { output, config, forceConflicts: force = false, wait = false } = options;
  if (options.unlessMicroshift === true && microshiftRenders(config)) {
    const text =
      'Nothing to do: network.cniPlugin is not none, so MicroShift puts its own ovn-kubernetes on the cluster.';
    output.result(text, { outcome: 'left-to-microshift' });
    return exitCode.done;
  }
  refuseBesideMicroshift(config);
  const rendered = renderedFor(options);
  const settings = { force, wait, note: output.say };
  const report = await withCluster(options, applyLimitSeconds, async (run) =>
    applyObjects(run, await rendered(run.cluster), settings),
  );
  output.result(applyText(report, output.style), report);
  return exitCode.done;
}

/** `manifests status`: every daemonset and container; drift unless all of them run. */
export async function status(options: ClusterOptions): Promise<ExitCode> {
  const daemonSets = await withCluster(options, askLimitSeconds, ({ cluster }) => readStates(cluster));
  const isOurs = !microshiftRenders(options.config);
  options.output.result(statusText(daemonSets, isOurs, options.output.style), { daemonSets });
  return daemonSets.length > 0 && daemonSets.every(({ rolledOut }) => rolledOut) ? exitCode.done : exitCode.drift;
}

/** `manifests delete`: removes what applies have put there, in reverse, and waits until it is gone. */
export async function remove(options: ClusterOptions): Promise<ExitCode> {
  const { output, config } = options;
  refuseBesideMicroshift(config);
  const result = await withCluster(options, deleteLimitSeconds, (run) => deleteObjects(run, output.say));
  output.result(deleteText(result, output.style), result);
  return exitCode.done;
}
