import { entriesOf } from '../../model/kernel-entries.ts';
import { userData } from '../../model/names.ts';
import type { Observation } from '../../model/observation.ts';
import { type ProfileSettings, stringsOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * List of the foreign addresses that came to a bridge with its NIC. The list is in the agent's profile of the bridge's
 * interface. Like the addresses, this profile lasts until the next boot.
 */

/**
 * Longest value of user.data, in bytes, that NetworkManager accepts (NM_SETTING_USER, libnm-core nm-setting-user.c),
 * with some reserve.
 */
const longestValue = 8_000;

/**
 * Returns the addresses (`address/prefix`) that came with the NIC, as a value for the profile; an empty text if the NIC
 * had none. Addresses that do not fit into the value are left out, and are recognized by their LAN alone.
 */
export function carriedAddresses(source: UplinkSource, observation: Observation): string {
  const now = entriesOf(source.link.name, observation).addresses.map(({ address }) => address);
  let length = 0;
  return [...new Set([...carriedIn(source.given), ...now])]
    .filter((address) => {
      length += address.length + 1;
      return length <= longestValue;
    })
    .join(' ');
}

/** Returns the addresses that came with the NIC according to the agent's profile. */
export function carriedIn(settings: ProfileSettings | null | undefined): readonly string[] {
  return (stringsOf(settings, 'user', 'data')[userData.carried] ?? '').split(' ').filter((address) => address !== '');
}
