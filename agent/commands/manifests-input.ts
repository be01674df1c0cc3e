import { effectiveConfig } from '../config/effective.ts';
import { readReleaseFile } from '../drivers/kubernetes/release-file.ts';
import { chooseFlavor, type Flavor } from '../manifests/flavor.ts';
import { chooseImage } from '../manifests/image.ts';
import type { KubernetesObject } from '../manifests/object.ts';
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
