import type { Config } from '../model/config.ts';
import type { Flavor, ManifestsFlavor } from '../model/manifest-flavors.ts';

/** Returns the flavour of the manifests: the requested one, or for `auto` the one that fits the configured uplink. */
export function chooseFlavor(config: Config, asked: ManifestsFlavor | null): Flavor {
  const wanted = asked ?? config.manifests.flavor.value;
  if (wanted !== 'auto') return wanted;
  return config.uplink.value === 'none' ? 'no-uplink' : 'classic';
}
