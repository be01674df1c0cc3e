import { addressesOf } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { fixedAddresses, numberOf, type SettingValue, textOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/**
 * Returns the MTU of a bridge: the NIC's current MTU (from its profile, from DHCP or from its driver), unless the
 * profile sets a smaller one. A larger value in the profile does not count: either the kernel has rejected it, or it
 * was set while the NIC was in the bridge, and applies at the next activation of the NIC's own profile. `mtu` is null
 * if the profile uses DHCP and sets no MTU, and the NIC had no lease before it moved: the bridge's lease may contain an
 * MTU.
 */
export function wantedMtu(source: UplinkSource): { mtu: SettingValue | null; notes: readonly PlanNote[] } {
  const now = source.link.mtuBytes;
  const asked = numberOf(source.settings, '802-3-ethernet', 'mtu') ?? 0;
  if (asked === 0 && isLeftToLease(source)) return { mtu: null, notes: [] };
  if (asked > 0 && asked < now) return { mtu: ['u', asked], notes: [] };
  if (source.given === null || asked <= now) return { mtu: ['u', now], notes: [] };
  const message = `MTU ${asked} of ${source.id} counts from the next boot on, or after \`microshift-net disable\`: ${source.link.name} has ${now}`;
  return { mtu: ['u', now], notes: [{ level: 'info', message }] };
}

/**
 * Returns true if the bridge requests a lease, and the NIC has none or had none when it moved into the bridge. The NIC
 * then has the MTU of its driver. An MTU in the bridge's profile would override the MTU of the lease (DHCP option 26).
 * Open vSwitch sets the NIC's MTU on the bridge if the lease has none.
 */
function isLeftToLease({ settings, link, given }: UplinkSource): boolean {
  if (textOf(settings, 'ipv4', 'method') !== 'auto') return false;
  if (given !== null) return numberOf(given, '802-3-ethernet', 'mtu') === undefined;
  const fixed = fixedAddresses(settings);
  const leased = addressesOf(
    link,
    ({ family, scope, foreign }) => family === 4 && scope === 'global' && foreign !== true,
  );
  return leased.every((address) => fixed.includes(address));
}
