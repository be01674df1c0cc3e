import type { DhcpIdentity } from '../../model/observation.ts';
import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, type ProfileSettings, type SettingValue, textOf } from '../../model/settings.ts';

/*
 * What DHCP servers know a node by. NetworkManager makes parts of it from the interface's name and the profile's UUID, which are others
 * on the bridge: those parts are written out as they are now, or the server would give another address.
 */

type Values = Readonly<Record<string, SettingValue>>;

/** Client-ids made from the profile, or from a DUID and an IAID (NetworkManager: ipv4.dhcp-client-id). */
const madeClientIds = ['stable', 'duid', 'ipv6-duid'];
/** DUIDs made from the profile (ipv6.dhcp-duid). */
const madeDuids = ['stable-llt', 'stable-ll', 'stable-uuid'];
/** IAIDs made from the interface's name; unset means `ifname` (ipv6.dhcp-iaid). */
const madeIaids = [undefined, 'ifname', 'stable'];

/** The values for the bridge's own interface, which stay what they were given once. */
export function keepDhcpIdentity(
  source: ProfileSettings,
  observed: DhcpIdentity | null,
  given: ProfileSettings | null,
): { readonly ipv4: Values; readonly ipv6: Values; readonly notes: readonly PlanNote[] } {
  const keep = (family: 'ipv4' | 'ipv6', key: string, made: readonly unknown[], seen: string | null): Values => {
    const isDynamic = ['auto', 'dhcp'].includes(textOf(source, family, 'method') ?? '');
    if (!isDynamic || !made.includes(jsonOf(source, family, key))) return {};
    const before = given?.[family]?.[key];
    if (given !== null) return before === undefined ? {} : { [key]: before };
    return seen === null ? {} : { [key]: ['s', seen] };
  };
  const kept = {
    ipv4: keep('ipv4', 'dhcp-client-id', madeClientIds, observed?.clientId ?? null),
    ipv6: {
      ...keep('ipv6', 'dhcp-duid', madeDuids, observed?.duid ?? null),
      ...keep('ipv6', 'dhcp-iaid', madeIaids, iaidNumber(observed?.iaid ?? null)),
    },
  };
  const names = Object.entries(kept).flatMap(([family, values]) =>
    Object.keys(values).map((key) => `${family}.${key}`),
  );
  const message = `${names.join(', ')} are kept as they are now: made from the name of the interface they would change, and the address with them`;
  return { ...kept, notes: names.length === 0 ? [] : [{ level: 'info', message }] };
}

/** NetworkManager shows an IAID as `65:11:1c:af` and has taken a number from the beginning. */
function iaidNumber(shown: string | null): string | null {
  return shown === null ? null : String(Number.parseInt(shown.replaceAll(':', ''), 16));
}
