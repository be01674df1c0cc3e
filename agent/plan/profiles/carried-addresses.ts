import { entriesOf } from '../../model/kernel-entries.ts';
import type { Observation } from '../../model/observation.ts';
import { type ProfileSettings, stringsOf } from '../../model/settings.ts';
import { userData } from '../names.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * Which addresses of others came to a bridge with its NIC is kept in our profile of the bridge's interface: it lasts as long as they do, to the next boot.
 */

/** NetworkManager takes no longer value (NM_SETTING_USER, libnm-core nm-setting-user.c), less some room. */
const longestValue = 8_000;

/** The addresses (`address/prefix`) for our profile, as its value has them; empty: none came. What no longer fits is known by its LAN alone. */
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

/** The addresses that a profile of ours says came with the NIC. */
export function carriedIn(settings: ProfileSettings | null | undefined): readonly string[] {
  return (stringsOf(settings, 'user', 'data')[userData.carried] ?? '').split(' ').filter((address) => address !== '');
}
