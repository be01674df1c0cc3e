import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, type ProfileSettings, type SettingValue, textOf } from '../../model/settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * What DHCP servers know a node by. NetworkManager makes parts of it from the interface's name and the profile's UUID, which are others
 * on the bridge: those parts are written out as they are now, or the server would give another address.
 */

type Values = Readonly<Record<string, SettingValue>>;

/**
 * Client-ids made from the profile, from a DUID and an IAID, or from a MAC that only a NIC has; unset means what NetworkManager.conf says
 * (ipv4.dhcp-client-id).
 */
const madeClientIds = [undefined, 'stable', 'duid', 'ipv6-duid', 'perm-mac'];
/** DUIDs made from the profile (ipv6.dhcp-duid). */
const madeDuids = ['stable-llt', 'stable-ll', 'stable-uuid'];
/** IAIDs made from the interface's name; unset means `ifname` (ipv6.dhcp-iaid). */
const madeIaids = [undefined, 'ifname', 'stable'];

/** The values for the bridge's own interface, which stay what they were given once. */
export function keepDhcpIdentity({ settings: source, dhcp: observed, given, mac }: UplinkSource): {
  readonly ipv4: Values;
  readonly ipv6: Values;
  readonly notes: readonly PlanNote[];
} {
  const keep = (family: 'ipv4' | 'ipv6', key: string, made: readonly unknown[], seen: string | null): Values => {
    const isDynamic = ['auto', 'dhcp'].includes(textOf(source, family, 'method') ?? '');
    if (!isDynamic || !made.includes(jsonOf(source, family, key))) return {};
    const before = given?.[family]?.[key];
    if (given !== null) return before === undefined ? {} : { [key]: before };
    return seen === null ? {} : { [key]: ['s', seen] };
  };
  // What NetworkManager makes where nothing else is said comes of itself: the bridge has the MAC.
  const isUsual = jsonOf(source, 'ipv4', 'dhcp-client-id') === undefined && observed?.clientId === ofMac(mac);
  const kept = {
    ipv4: keep('ipv4', 'dhcp-client-id', madeClientIds, isUsual ? null : (observed?.clientId ?? null)),
    ipv6: {
      ...keep('ipv6', 'dhcp-duid', madeDuids, observed?.duid ?? null),
      ...keep('ipv6', 'dhcp-iaid', madeIaids, iaidNumber(observed?.iaid ?? null)),
    },
  };
  const names = Object.entries(kept).flatMap(([family, values]) =>
    Object.keys(values).map((key) => `${family}.${key}`),
  );
  const message = `${names.join(', ')} are kept as they are now: made from the NIC or its profile they would change, and the address with them`;
  return { ...kept, notes: names.length === 0 ? [] : [{ level: 'info', message }] };
}

/** True where settings ask for an identity that would be another one on another interface: it has to be seen on the NIC to be kept. */
export function asksForMadeIdentity(settings: ProfileSettings): boolean {
  const asksFor = (family: string, key: string, made: readonly unknown[]): boolean => {
    const asked = jsonOf(settings, family, key);
    return asked !== undefined && made.includes(asked);
  };
  return (
    asksFor('ipv4', 'dhcp-client-id', madeClientIds) ||
    asksFor('ipv6', 'dhcp-duid', madeDuids) ||
    asksFor('ipv6', 'dhcp-iaid', madeIaids)
  );
}

/** A client-id of the hardware type Ethernet and the MAC (RFC 2132 section 9.14), as NetworkManager shows it. */
function ofMac(mac: string): string {
  return `01:${mac.toLowerCase()}`;
}

/** NetworkManager shows an IAID as `65:11:1c:af` and has taken a number from the beginning. */
function iaidNumber(shown: string | null): string | null {
  return shown === null ? null : String(Number.parseInt(shown.replaceAll(':', ''), 16));
}
