import { effectiveConfig } from '../config/effective.ts';
import { writeManifestFiles } from '../drivers/kubernetes/manifest-files.ts';
import { yamlFiles, yamlStream } from '../drivers/kubernetes/manifest-yaml.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { hasMicroshiftFiles } from '../facts/microshift-files.ts';
import { refuseBesideMicroshift } from '../manifests/object-ownership.ts';
import { microshiftRenders } from '../model/config.ts';
import { managedByLine } from '../model/kubernetes/object.ts';
import { applyObjects } from '../run/manifests/manifests-apply.ts';
import { withCluster } from '../run/manifests/manifests-cluster.ts';
import { deleteObjects } from '../run/manifests/manifests-delete.ts';
import { diffObjects } from '../run/manifests/manifests-diff.ts';
import {
  type ClusterInput,
  type ManifestsInput,
  renderedFor,
  renderedObjects,
} from '../run/manifests/manifests-input.ts';
import { readStates } from '../run/manifests/manifests-rollout.ts';
import {
  deleteDocument,
  diffDocument,
  manifestsApplyDocument,
  manifestsStatusDocument,
  renderDocument,
} from '../view/json/manifests-json.ts';
import { applyText, deleteText, diffText, statusText } from '../view/manifests-view.ts';
import type { Output } from './output.ts';

/**
 * Default time limit of `manifests apply`, in seconds: longer than MicroShift takes to boot on a small node (2 to 4
 * minutes). The unit that runs the command at boot sets a longer limit.
 */
const applyLimitSeconds = 300;
/**
 * Default time limit of `manifests delete`, in seconds: pods have 30 s to terminate, and a namespace is removed after
 * all of its objects.
 */
const deleteLimitSeconds = 180;
/** Default time limit of `manifests status` and `manifests diff`, in seconds: they do not wait for a boot. */
const askLimitSeconds = 0;

/** Options of every `manifests` command, and the output of the command. */
export interface ManifestsOptions extends ManifestsInput {
  readonly output: Pick<Output, 'format' | 'style' | 'result' | 'say'>;
}

/** Options of the commands that use a cluster. */
export interface ClusterOptions extends ClusterInput, ManifestsOptions {
  readonly output: ManifestsOptions['output'];
}

export interface RenderOptions extends ManifestsOptions {
  /** Directory into which each object is written as a file. Absent to print all objects. */
  readonly directory?: string;
  /** True to write kustomization.yaml as well, which lists the files of the objects. */
  readonly kustomization?: boolean;
}

export interface ApplyOptions extends ClusterOptions {
  /** True to wait until every pod runs the new version. */
  readonly wait?: boolean;
  readonly forceConflicts?: boolean;
  /**
   * True to change nothing and to succeed if MicroShift applies its own objects, for a unit that runs on every node;
   * false to fail in that case.
   */
  readonly unlessMicroshift?: boolean;
}

/** Returns the input of every `manifests` command: this node's configuration, and the output. */
export async function manifestsInput(output: Output): Promise<ManifestsOptions> {
  return { config: (await effectiveConfig()).config, output };
}

/** Returns the input of the commands that use a cluster. */
export async function clusterInput(output: Output): Promise<ManifestsOptions & Pick<ClusterOptions, 'hasMicroshift'>> {
  return { ...(await manifestsInput(output)), hasMicroshift: hasMicroshiftFiles() };
}

/**
 * `manifests render`: prints the objects of ovn-kubernetes as YAML, or writes them into a directory. Needs no cluster.
 */
export async function render(options: RenderOptions): Promise<void> {
  const { flavor, objects } = renderedObjects(options, false);
  const { directory, kustomization = false, output } = options;
  if (directory === undefined) {
    output.result(yamlStream(objects).slice(0, -1), renderDocument(flavor, null, objects), null, 'verbatim');
    return;
  }
  writeManifestFiles(directory, yamlFiles(objects, kustomization), managedByLine);
  if (output.format === 'json') output.result('', renderDocument(flavor, directory, []));
}

/** `manifests diff`: prints the changes that `manifests apply` would make. Exit code 3 if there are any. */
export async function diff(options: ClusterOptions): Promise<ExitCode> {
  const rendered = renderedFor(options);
  const result = await withCluster(options, askLimitSeconds, async ({ cluster }) => {
    const { flavor, objects } = await rendered(cluster);
    return { flavor, differences: await diffObjects(cluster, objects) };
  });
  const text = diffText(result.differences, options.output.style);
  options.output.result(text, diffDocument(result.flavor, result.differences));
  return result.differences.length === 0 ? exitCode.done : exitCode.drift;
}

/**
 * `manifests apply`: applies the objects of ovn-kubernetes, and removes those that an earlier apply created and that
 * are not desired any more. With `wait`, also waits until the pods run.
 */
export async function apply(options: ApplyOptions): Promise<ExitCode> {
  const { output, config, forceConflicts: force = false, wait = false } = options;
  if (options.unlessMicroshift === true && isMicroshifts(options)) {
    const text =
      'Nothing to do: network.cniPlugin is not none, so MicroShift puts its own ovn-kubernetes on the cluster.';
    output.result(text, manifestsApplyDocument(null));
    return exitCode.done;
  }
  refuseBesideMicroshift(config, options.hasMicroshift);
  const rendered = renderedFor(options);
  const settings = { force, wait, note: output.say };
  const report = await withCluster(options, applyLimitSeconds, async (run) =>
    applyObjects(run, await rendered(run.cluster), settings),
  );
  output.result(applyText(report, output.style), manifestsApplyDocument(report));
  return exitCode.done;
}

/** Returns true if MicroShift applies the objects of ovn-kubernetes to the cluster of this node. */
function isMicroshifts({ config, hasMicroshift }: ClusterOptions): boolean {
  return hasMicroshift && microshiftRenders(config);
}

/**
 * `manifests status`: prints every daemonset of ovn-kubernetes with its containers. Exit code 3 unless all of them run.
 */
export async function status(options: ClusterOptions): Promise<ExitCode> {
  const daemonSets = await withCluster(options, askLimitSeconds, ({ cluster }) => readStates(cluster));
  const isOurs = !isMicroshifts(options);
  const document = manifestsStatusDocument(daemonSets);
  options.output.result(statusText(daemonSets, isOurs, options.output.style), document);
  return document.outcome === 'as-wanted' ? exitCode.done : exitCode.drift;
}

/**
 * `manifests delete`: removes the objects that `manifests apply` has applied, in reverse order, and waits until they
 * are gone.
 */
export async function remove(options: ClusterOptions): Promise<ExitCode> {
  const { output, config } = options;
  refuseBesideMicroshift(config, options.hasMicroshift);
  const result = await withCluster(options, deleteLimitSeconds, (run) => deleteObjects(run, output.say));
  output.result(deleteText(result, output.style), deleteDocument(result));
  return exitCode.done;
}
