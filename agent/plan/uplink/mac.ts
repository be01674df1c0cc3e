import type { Link } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { type ProfileSettings, stringsOf, textOf } from '../../model/profile-settings.ts';

/* MAC of a bridge. It is the uplink's, so that the DHCP server and the switch recognize the node. */

/**
 * Returns the desired MAC of a bridge: that of the uplink until the uplink is in the bridge, afterwards that in the
 * agent's profile (`given`). Neither a manual change of br-ex nor another order of a bond's ports then changes the MAC.
 * However, a NIC that uses its permanent MAC, and whose own profile sets no MAC, always determines the bridge's MAC,
 * because it may have replaced another NIC.
 */
export function wantedMac(link: Link, source: ProfileSettings, given: string | undefined): string {
  const own = link.mac.toUpperCase();
  if (given === undefined || given === '') return own;
  const replaced = link.permanentMac?.toUpperCase() === own && !hasOwnMac(source);
  return replaced ? own : given.toUpperCase();
}

/**
 * Returns a warning about a device whose MAC is that of its active port: a bond with fail_over_mac=active, or a team
 * with the hwaddr_policy by_active or only_active. The MAC of the bridge does not follow the active port: the agent's
 * profile sets it, because a bridge without a set MAC would get a random one, and therefore another lease.
 */
export function activePortNotes(
  source: { readonly settings: ProfileSettings; readonly link: Link },
  mac: string,
): readonly PlanNote[] {
  if (!followsActivePort(source.settings)) return [];
  const message = `${source.link.name} takes the MAC of its active port and the bridge keeps ${mac}: where a port may send with its own MAC only (SR-IOV, some switches), the node is away after a failover`;
  return [{ level: 'warning', message }];
}

function followsActivePort(source: ProfileSettings): boolean {
  const bond = stringsOf(source, 'bond', 'options');
  if (['active', '1'].includes(bond.fail_over_mac ?? '') && ['active-backup', '1'].includes(bond.mode ?? ''))
    return true;
  return /"hwaddr_policy"\s*:\s*"(by_active|only_active)"/.test(textOf(source, 'team', 'config') ?? '');
}

function hasOwnMac(source: ProfileSettings): boolean {
  const ethernet = source['802-3-ethernet'] ?? {};
  return ethernet['assigned-mac-address'] !== undefined || ethernet['cloned-mac-address'] !== undefined;
}
