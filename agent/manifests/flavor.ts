import type { Config, ManifestsFlavor } from '../model/config.ts';
import type { Sourced } from '../model/sourced.ts';

export type Flavor = Exclude<ManifestsFlavor, 'auto'>;

/**
 * The set of objects: what was asked for, or with `auto` the one that fits the uplink. A node whose uplink turned out to be
 * impossible (wifi) passes hasUplink false; null: only the configuration is known.
 */
export function chooseFlavor(
  config: Config,
  asked: ManifestsFlavor | null,
  hasUplink: boolean | null = null,
): Sourced<Flavor> {
  const wanted = asked === null ? config.manifests.flavor : { value: asked, source: '--flavor' };
  if (wanted.value !== 'auto') return { value: wanted.value, source: wanted.source };
  if (hasUplink !== null) return { value: hasUplink ? 'classic' : 'no-uplink', source: 'the uplink of br-ex' };
  const { value, source } = config.uplink;
  return { value: value === 'none' ? 'no-uplink' : 'classic', source: `uplink (${source})` };
}
