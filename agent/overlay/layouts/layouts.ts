import type { OverlayLayout, OverlayNaming } from '../../model/overlay.ts';
import type { LayoutTraits } from './layout-traits.ts';
import { modern } from './modern.ts';
import { seed } from './seed.ts';

const layouts: Readonly<Record<OverlayNaming, LayoutTraits>> = { modern, seed };

/** Returns the properties of a cluster's layout. */
export function traitsOf({ naming }: Pick<OverlayLayout, 'naming'>): LayoutTraits {
  return layouts[naming];
}
