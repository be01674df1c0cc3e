import type { PlanNote } from '../../model/plan.ts';
import { jsonOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/**
 * Returns a warning about addresses that NetworkManager pings before the NIC counts as up (1.52 and later).
 * NetworkManager does not remove the IP settings of a device whose profile has such addresses ("ipv4.method cannot be
 * 'disabled'"), so the NIC cannot move, and the run is rolled back.
 */
export function pingAddressNotes({ uuid, id, settings, link, given }: UplinkSource): readonly PlanNote[] {
  if (given !== null || jsonOf(settings, 'connection', 'ip-ping-addresses') === undefined) return [];
  const message = `${id} has connection.ip-ping-addresses, with which NetworkManager takes no addresses off ${link.name}: the run will fail and go back; take that out first: nmcli connection modify uuid ${uuid} connection.ip-ping-addresses ""`;
  return [{ level: 'warning', message }];
}
