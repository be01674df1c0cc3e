import type { Link } from '../../model/observation.ts';
import type { ProfileSettings, SettingValue } from '../../model/settings.ts';
import { carriedAddresses } from './handover.ts';

/** Addresses of a link that the profile brings back by itself; all of them where the profile is not known. */
export function keptAddresses(link: Link, settings: ProfileSettings | null): readonly string[] {
  const addresses = carriedAddresses(link);
  if (settings === null) return addresses;
  return addresses.filter((address) => {
    const setting = settings[address.includes(':') ? 'ipv6' : 'ipv4'];
    const method = String(setting?.method?.[1]);
    if (method === 'disabled' || method === 'link-local') return false;
    return method !== 'manual' || listedAddresses(setting).includes(address);
  });
}

function listedAddresses(setting: Readonly<Record<string, SettingValue>> | undefined): readonly string[] {
  const list = (setting?.['address-data']?.[1] ?? []) as readonly Record<string, SettingValue>[];
  return list.map((entry) => `${entry.address?.[1]}/${entry.prefix?.[1]}`);
}
