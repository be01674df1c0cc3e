import { effectiveConfig } from '../config/effective.ts';
import type { Cluster } from '../drivers/kubernetes/cluster-port.ts';
import { readReleaseFile } from '../drivers/kubernetes/release-file.ts';
import { chooseFlavor } from '../manifests/flavor.ts';
import { chooseImage, imageOfDaemonSets } from '../manifests/image.ts';
import { defaultCniBinDirectory, renderManifests } from '../manifests/render.ts';
import type { Config } from '../model/config.ts';
import { type KubernetesObject, namespaceName } from '../model/kubernetes/object.ts';
import type { Flavor, ManifestsFlavor } from '../model/manifest-flavors.ts';
import type { Output } from './output.ts';

/** Options of every `manifests` command, and its output. */
export interface ManifestsOptions {
  readonly config: Config;
  readonly output: Pick<Output, 'format' | 'style' | 'result' | 'say'>;
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDir?: string;
  readonly controlPlane?: string;
}

/** Additional options of the commands that use a cluster. */
export interface ClusterOptions extends ManifestsOptions {
  readonly kubeconfig?: string;
  /** Use the image with which ovn-kubernetes runs on this cluster. */
  readonly runningImage?: boolean;
  /** Time limit for the cluster to start and for the command itself. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Rendered {
  readonly flavor: Flavor;
  readonly objects: readonly KubernetesObject[];
}

/** Returns the input of every `manifests` command: this node's configuration, and the output. */
export async function manifestsInput(output: Output): Promise<ManifestsOptions> {
  return { config: (await effectiveConfig()).config, output };
}

/** Renders the objects for the configuration and the options. Throws without a connection to a cluster. */
export function renderedObjects(options: ManifestsOptions): Rendered {
  const { config, cniBinDir: cniBinDirectory = defaultCniBinDirectory, controlPlane = null } = options;
  const flavor = chooseFlavor(config, options.flavor ?? null);
  const image = chooseImage({ asked: options.image ?? null, config, release: readReleaseFile() }).value;
  return { flavor, objects: renderManifests({ config, flavor, image, cniBinDirectory, controlPlane }) };
}

/**
 * Returns a function that renders the objects for a cluster. Renders at once, so that errors are reported before the
 * connection, unless the image has to be read from the cluster.
 */
export function renderedFor(options: ClusterOptions): (cluster: Cluster) => Promise<Rendered> {
  if (options.runningImage === true) {
    const daemonSets = { apiVersion: 'apps/v1', plural: 'daemonsets', namespace: namespaceName };
    return async ({ list }) => {
      const image = imageOfDaemonSets((await list(daemonSets)).items);
      return renderedObjects({ ...options, image });
    };
  }
  const rendered = renderedObjects(options);
  return async () => rendered;
}
