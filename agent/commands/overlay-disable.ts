import { effectiveConfig } from '../config/effective.ts';
import { withLock } from '../run/lock.ts';
import { disableOverlay } from '../run/overlay/disable.ts';
import { disabledText } from '../view/overlay-disabled-view.ts';
import type { Output } from './output.ts';
import { placesFor } from './overlay-places.ts';
import { requireRoot } from './root.ts';

/** `overlay disable`: takes this node out of its overlay, and makes OVN's units as they were before. */
export async function disable({ force = false }: { readonly force?: boolean }, output: Output): Promise<void> {
  const command = 'overlay disable';
  requireRoot(command);
  const { config } = await effectiveConfig();
  const done = await withLock(command, () => disableOverlay(placesFor(config), force, output.say));
  output.result(disabledText(done), { command, outcome: 'changed', ...done });
}
