import { readReleaseFile } from '../drivers/kubernetes/release-file.ts';
import { chooseFlavor, type Flavor } from '../manifests/flavor.ts';
import { chooseImage } from '../manifests/image.ts';
import type { KubernetesObject } from '../manifests/object.ts';
import { defaultCniBinDirectory, renderManifests } from '../manifests/render.ts';
import type { ManifestsOptions } from './manifests-options.ts';

export interface Rendered {
  readonly flavor: Flavor;
  readonly objects: readonly KubernetesObject[];
}

/** The objects that the configuration and the options ask for; throws before any cluster is talked to. */
export function renderedObjects(options: ManifestsOptions): Rendered {
  const { config } = options;
  const flavor = chooseFlavor(config, options.flavor ?? null, options.hasUplink ?? null).value;
  const release = readReleaseFile(options.rootDirectory ?? '/');
  const image = chooseImage({ asked: options.image ?? null, config, release }).value;
  const cniBinDirectory = options.cniBinDir ?? defaultCniBinDirectory;
  const controlPlane = options.controlPlane ?? null;
  return { flavor, objects: renderManifests({ config, flavor, image, cniBinDirectory, controlPlane }) };
}
