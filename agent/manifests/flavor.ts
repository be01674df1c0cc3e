import type { Config, ManifestsFlavor } from '../model/config.ts';

export type Flavor = Exclude<ManifestsFlavor, 'auto'>;

/** Returns the flavour: the requested one, or for `auto` the one that fits the configured uplink. */
export function chooseFlavor(config: Config, asked: ManifestsFlavor | null): Flavor {
  const wanted = asked ?? config.manifests.flavor.value;
  if (wanted !== 'auto') return wanted;
  return config.uplink.value === 'none' ? 'no-uplink' : 'classic';
}
