import type { Link } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { type ProfileSettings, stringsOf, textOf } from '../../model/settings.ts';

/*
 * The MAC of a bridge. It is the uplink's, so that the DHCP server and the switch see the node they know.
 */

/**
 * MAC a bridge shall have. Once the uplink is in the bridge it is the one our own profile was given then: neither somebody's change of
 * br-ex nor ports of a bond that came up in another order make a new one. Only a NIC that was replaced does: its MAC is its own
 * permanent one, and another.
 */
export function wantedMac(link: Link, source: ProfileSettings, given: string | undefined): string {
  const own = link.mac.toUpperCase();
  if (given === undefined || given === '') return own;
  const replaced = link.permanentMac?.toUpperCase() === own && !hasOwnMac(source);
  return replaced ? own : given.toUpperCase();
}

/**
 * Warns of a device that has the MAC of whichever port is active: a bond with fail_over_mac=active, a team whose hwaddr_policy says so.
 * The bridge keeps the MAC of the day it was made, because one without gets a random MAC, and with it another lease.
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
