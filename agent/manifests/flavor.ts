import type { Config } from '../model/config.ts';
import type { Flavor, ManifestsFlavor } from '../model/manifest-flavors.ts';

/** Returns the flavour: the requested flavour, or for `auto` the flavour that fits the configured uplink. */
export function chooseFlavor(config: Config, asked: ManifestsFlavor | null): Flavor {
  const wanted = asked ?? config.manifests.flavor.value;
  if (wanted !== 'auto') return wanted;
  return config.uplink.value === 'none' ? 'no-uplink' : 'classic';
}
