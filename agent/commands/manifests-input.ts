import { effectiveConfig } from '../config/effective.ts';
import { readReleaseFile } from '../drivers/kubernetes/release-file.ts';
import type { Cluster } from '../manifests/cluster-port.ts';
import { chooseFlavor, type Flavor } from '../manifests/flavor.ts';
import { chooseImage, imageOfDaemonSets } from '../manifests/image.ts';
import { type KubernetesObject, namespaceName } from '../manifests/object.ts';
import { defaultCniBinDirectory, renderManifests } from '../manifests/render.ts';
import type { Config, ManifestsFlavor } from '../model/config.ts';
import type { Output } from './output.ts';

/** What every `manifests` command takes: what decides the objects, and where its words go. */
export interface ManifestsOptions {
  readonly config: Config;
  readonly output: Pick<Output, 'format' | 'style' | 'result' | 'say'>;
  readonly flavor?: ManifestsFlavor;
  readonly image?: string;
  readonly cniBinDir?: string;
  readonly controlPlane?: string;
}

/** What those that talk to a cluster take on top. */
export interface ClusterOptions extends ManifestsOptions {
  readonly kubeconfig?: string;
  /** Take the image that ovn-kubernetes runs with on this cluster. */
  readonly runningImage?: boolean;
  /** How long to wait for a cluster that is starting, and for what was asked of it. */
  readonly timeoutSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

export interface Rendered {
  readonly flavor: Flavor;
  readonly objects: readonly KubernetesObject[];
}

/** What every `manifests` command starts from: this node's configuration, and where words go. */
export async function manifestsInput(output: Output): Promise<ManifestsOptions> {
  return { config: (await effectiveConfig()).config, output };
}

/** The objects that the configuration and the options ask for; throws before any cluster is talked to. */
export function renderedObjects(options: ManifestsOptions): Rendered {
  const { config, cniBinDir: cniBinDirectory = defaultCniBinDirectory, controlPlane = null } = options;
  const flavor = chooseFlavor(config, options.flavor ?? null);
  const image = chooseImage({ asked: options.image ?? null, config, release: readReleaseFile() }).value;
  return { flavor, objects: renderManifests({ config, flavor, image, cniBinDirectory, controlPlane }) };
}

/** As renderedObjects, for a cluster: at once, so that what is wrong is told before it is talked to, unless it has to be asked for the image. */
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
