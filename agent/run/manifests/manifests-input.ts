import type { Cluster } from '../../drivers/kubernetes/cluster-port.ts';
import { readReleaseFile } from '../../drivers/kubernetes/release-file.ts';
import { chooseFlavor } from '../../manifests/flavor.ts';
import { chooseImage, imageOfDaemonSets } from '../../manifests/image.ts';
import { defaultCniBinDirectory, renderManifests } from '../../manifests/render.ts';
import type { Config } from '../../model/config.ts';
import { type KubernetesObject, namespaceName } from '../../model/kubernetes/object.ts';
import type { Flavor, ManifestsFlavor } from '../../model/manifest-flavors.ts';

/**
 * Input from which the objects of ovn-kubernetes are rendered: the configuration, and the options that replace parts of
 * it.
 */
export interface ManifestsInput {
  readonly config: Config;
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDir?: string;
  readonly controlPlane?: string;
}

/** Input of those `manifests` commands that use a cluster. */
export interface ClusterInput extends ManifestsInput {
  readonly output: { say(message: string): void };
  readonly kubeconfig?: string;
  /** True if MicroShift is installed or configured on this node. */
  readonly hasMicroshift: boolean;
  /** True to use the image of the ovn-kubernetes that runs on this cluster. */
  readonly runningImage?: boolean;
  /** Time limit in seconds for the whole command, including the start of the cluster. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Rendered {
  readonly flavor: Flavor;
  readonly objects: readonly KubernetesObject[];
}

/**
 * Renders the objects of ovn-kubernetes for the configuration and the options. Needs no connection to a cluster.
 * `usesCluster` is true for a command that can read the image from the cluster if no option names it.
 */
export function renderedObjects(options: ManifestsInput, usesCluster: boolean): Rendered {
  const { config, cniBinDir: cniBinDirectory = defaultCniBinDirectory, controlPlane = null } = options;
  const flavor = chooseFlavor(config, options.flavor ?? null);
  const image = chooseImage({ asked: options.image ?? null, config, release: readReleaseFile(), usesCluster }).value;
  return { flavor, objects: renderManifests({ config, flavor, image, cniBinDirectory, controlPlane }) };
}

/**
 * Returns a function that renders the objects of ovn-kubernetes for a cluster. If the image need not be read from the
 * cluster, renders at once, so that errors are reported before the connection.
 */
export function renderedFor(options: ClusterInput): (cluster: Cluster) => Promise<Rendered> {
  if (options.runningImage === true) {
    const daemonSets = { apiVersion: 'apps/v1', plural: 'daemonsets', namespace: namespaceName };
    return async ({ list }) => {
      const image = imageOfDaemonSets((await list(daemonSets)).items);
      return renderedObjects({ ...options, image }, true);
    };
  }
  const rendered = renderedObjects(options, true);
  return async () => rendered;
}
