import { effectiveConfig } from '../config/effective.ts';
import { outsideClients, serviceExposure } from '../config/exposure.ts';
import type { Config } from '../model/config.ts';
import { type OverlayPlaces, overlayPlaces } from '../run/overlay/record/places.ts';
import { requireRoot } from './root.ts';

/**
 * Prepares a command of the overlay: requires root, and reads this node's configuration and the paths of its overlay.
 */
export async function startOverlay(
  command: string,
  program?: string,
): Promise<{ readonly config: Config; readonly places: OverlayPlaces }> {
  requireRoot(command, program);
  const { config } = await effectiveConfig();
  const datapathType = config.ovs.datapathType.value === 'netdev' ? 'netdev' : null;
  const exposure = serviceExposure(config);
  const { kubeconfig, bfdIntervalMs, encapsulation } = config.overlay;
  const settings = {
    kubeconfig: kubeconfig.value,
    bfdIntervalMs: bfdIntervalMs.value,
    encapsulation: encapsulation.value,
  };
  const clients = outsideClients(config);
  return { config, places: { ...overlayPlaces, datapathType, exposure, outsideClients: clients, ...settings } };
}
