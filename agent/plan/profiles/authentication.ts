import type { PlanNote } from '../../model/plan.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/**
 * Returns a warning about 802.1X on an uplink. The switch keeps its port authenticated during the move. While the NIC
 * is in the bridge, Open vSwitch receives the NIC's packets before the supplicant's socket does (net/core/dev.c,
 * rx_handler). A switch that requests another authentication therefore gets no answer.
 */
export function authenticationNotes({ id, settings, link }: UplinkSource): readonly PlanNote[] {
  if (settings['802-1x'] === undefined) return [];
  const message = `${id} authenticates ${link.name} by 802.1X, which stays; a switch that asks again from time to time gets no answer while ${link.name} is in the bridge: turn that off for its port`;
  return [{ level: 'warning', message }];
}
