import { writeManifestFiles } from '../drivers/kubernetes/manifest-files.ts';
import { type ExitCode, exitCode } from '../errors.ts';
import { yamlFiles, yamlStream } from '../manifests/yaml.ts';
import { applyText, deleteText, diffText, statusText } from '../view/manifests-view.ts';
import { applyObjects } from './manifests-apply.ts';
import { withCluster } from './manifests-cluster.ts';
import { deleteObjects } from './manifests-delete.ts';
import { diffObjects } from './manifests-diff.ts';
import { renderedObjects } from './manifests-objects.ts';
import type { ApplyCommandOptions, ClusterOptions, RenderOptions } from './manifests-options.ts';
import { readStates } from './manifests-rollout.ts';

/** Longer than MicroShift takes to boot on a small node (2 to 4 minutes); what comes up later is started again by the unit. */
const applyLimitSeconds = 300;
/** Pods have 30 s to end, and a namespace goes after everything in it. */
const deleteLimitSeconds = 180;
/** A person who asks wants an answer, not to wait for a boot. */
const askLimitSeconds = 0;

/** `manifests render`: the objects as YAML (or a JSON list), to the output or into a directory. Needs no cluster. */
export async function render(options: RenderOptions): Promise<ExitCode> {
  const { objects } = renderedObjects(options);
  if (options.directory !== undefined) {
    writeManifestFiles(options.directory, yamlFiles(objects, options.kustomization === true));
  } else if (options.output === 'json') {
    options.out(json({ apiVersion: 'v1', kind: 'List', items: objects }));
  } else options.out(yamlStream(objects));
  return exitCode.done;
}

/** `manifests diff`: what an apply would change; drift when there is something. */
export async function diff(options: ClusterOptions): Promise<ExitCode> {
  const { flavor, objects } = renderedObjects(options);
  const differences = await withCluster(options, askLimitSeconds, ({ cluster }) => diffObjects(cluster, objects));
  options.out(options.output === 'json' ? json({ flavor, differences }) : diffText(differences, options.style));
  return differences.length === 0 ? exitCode.done : exitCode.drift;
}

/** `manifests apply`: puts the objects on the server and removes what is wanted no more; with `wait` until the pods run. */
export async function apply(options: ApplyCommandOptions): Promise<ExitCode> {
  const rendered = renderedObjects(options);
  const settings = { force: options.forceConflicts === true, wait: options.wait === true, note: options.note };
  const report = await withCluster(options, applyLimitSeconds, (run) => applyObjects(run, rendered, settings));
  options.out(options.output === 'json' ? json(report) : applyText(report, options.style));
  return exitCode.done;
}

/** `manifests status`: every daemonset and container; drift unless all of them run. */
export async function status(options: ClusterOptions): Promise<ExitCode> {
  const states = await withCluster(options, askLimitSeconds, ({ cluster }) => readStates(cluster));
  options.out(options.output === 'json' ? json({ daemonSets: states }) : statusText(states, options.style));
  return states.length > 0 && states.every(({ rolledOut }) => rolledOut) ? exitCode.done : exitCode.drift;
}

/** `manifests delete`: removes what applies have put there, in reverse, and waits until it is gone. */
export async function remove(options: ClusterOptions): Promise<ExitCode> {
  const result = await withCluster(options, deleteLimitSeconds, (run) => deleteObjects(run, options.note));
  options.out(options.output === 'json' ? json(result) : deleteText(result.objects, result.foreign, options.style));
  return exitCode.done;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
