import type { PlanNote } from '../../model/plan.ts';
import { numberOf, type SettingValue } from '../../model/settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/**
 * MTU of a bridge and of its NIC: what the NIC has, be it from its profile, from DHCP or from its driver, unless its profile asks for less.
 * A larger one in the profile may be more than the NIC carries, which the kernel then refused; one that was raised while the NIC is in the
 * bridge counts from the next time that it starts with its own profile.
 */
export function wantedMtu(source: UplinkSource): { mtu: SettingValue; notes: readonly PlanNote[] } {
  const now = source.link.mtuBytes;
  const asked = numberOf(source.settings, '802-3-ethernet', 'mtu') ?? 0;
  if (asked > 0 && asked < now) return { mtu: ['u', asked], notes: [] };
  if (source.given === null || asked <= now) return { mtu: ['u', now], notes: [] };
  const message = `MTU ${asked} of ${source.id} counts from the next boot on, or after \`microshift-net disable\`: ${source.link.name} has ${now}`;
  return { mtu: ['u', now], notes: [{ level: 'info', message }] };
}
