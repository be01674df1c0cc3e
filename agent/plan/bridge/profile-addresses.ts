import { fixedAddresses } from '../../compare/bridges.ts';
import type { Link } from '../../model/observation.ts';
import { type ProfileSettings, textOf } from '../../model/settings.ts';
import { stableAddresses } from './handover.ts';

/** Addresses of a link that the profile brings back by itself; all of them where the profile is not known. */
export function profileAddresses(link: Link, settings: ProfileSettings | null): readonly string[] {
  const addresses = stableAddresses(link);
  if (settings === null) return addresses;
  const fixed = fixedAddresses(settings);
  return addresses.filter((address) => {
    const method = textOf(settings, address.includes(':') ? 'ipv6' : 'ipv4', 'method');
    if (method === 'disabled' || method === 'link-local') return false;
    return method !== 'manual' || fixed.includes(address);
  });
}
