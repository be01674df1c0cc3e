import { effectiveConfig } from '../config/effective.ts';
import { withLock } from '../run/lock.ts';
import { setGateway } from '../run/overlay/gateway.ts';
import { type GatewayOptions, requestOf } from '../run/overlay/gateway-request.ts';
import { countChanges, gatewayText } from '../view/overlay-view.ts';
import type { Output } from './output.ts';
import { placesFor } from './overlay-places.ts';
import { requireRoot } from './root.ts';

export type GatewayCommandOptions = GatewayOptions & { readonly remove?: true };

/** `overlay gateway`: makes this node a way out of its cluster; with `remove` it is none any more. */
export async function gateway(options: GatewayCommandOptions, output: Output): Promise<void> {
  const command = 'overlay gateway';
  requireRoot(command);
  const request = options.remove === true ? null : requestOf(options);
  const { config } = await effectiveConfig();
  const { record, changes } = await withLock(command, () => setGateway(request, placesFor(config), output.say));
  const outcome = countChanges(changes) === 0 ? 'unchanged' : 'changed';
  output.result(gatewayText(record, changes), { command, outcome, gateway: record.node.gateway, changes });
}
