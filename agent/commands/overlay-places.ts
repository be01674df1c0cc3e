import type { Config } from '../model/config.ts';
import { type OverlayPlaces, overlayPlaces } from '../run/overlay/places.ts';

/** Where this node's overlay is, under a configuration. */
export function placesFor({ ovs }: Config): OverlayPlaces {
  return { ...overlayPlaces, datapathType: ovs.datapathType.value === 'netdev' ? 'netdev' : null };
}
