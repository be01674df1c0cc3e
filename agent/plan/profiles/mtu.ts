import { addressesOf } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { fixedAddresses, numberOf, type SettingValue, textOf } from '../../model/settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/**
 * MTU of a bridge: what the NIC has, be it from its profile, from DHCP or from its driver, unless its profile asks for less. A larger one in
 * the profile may be more than the NIC carries, which the kernel then refused; one that was raised while the NIC is in the bridge counts
 * from the next time that it starts with its own profile. null: none is set, because the lease may bring one.
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
 * True where the bridge asks for the lease before the NIC has had one: what the NIC has is its driver's MTU, and one in the profile would
 * win against that of the lease (DHCP option 26). Open vSwitch gives the bridge the NIC's where the lease has none.
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
