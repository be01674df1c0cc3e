import { effectiveConfig } from '../config/effective.ts';
import { readOverlayStatus } from '../run/overlay/status.ts';
import { overlayStatusText } from '../view/overlay-status-view.ts';
import type { Output } from './output.ts';
import { placesFor } from './overlay-places.ts';
import { requireRoot } from './root.ts';

/** `overlay status`: what this node is in the cluster, and how its daemon and its tunnels are. */
export async function status(output: Output): Promise<void> {
  requireRoot('overlay status');
  const { config } = await effectiveConfig();
  const found = await readOverlayStatus(placesFor(config));
  output.result(overlayStatusText(found, output.style), { command: 'overlay status', ...found });
}
