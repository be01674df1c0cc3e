import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, type ProfileSettings, type SettingValue, textOf } from '../../model/profile-settings.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/*
 * Identifiers by which DHCP servers recognize a node. NetworkManager derives some of them from the interface's name and
 * the profile's UUID, which differ for the bridge. The current values of the identifiers are written to the bridge's
 * profile; otherwise the server would assign another address.
 */

type Values = Readonly<Record<string, SettingValue>>;

/**
 * Client-ids that are derived from the profile, from a DUID and an IAID, or from a permanent MAC, which only a NIC has.
 * A client-id that is not set follows NetworkManager.conf (ipv4.dhcp-client-id).
 */
const madeClientIds = [undefined, 'stable', 'duid', 'ipv6-duid', 'perm-mac'];
/** DUIDs that are derived from the profile (ipv6.dhcp-duid). */
const madeDuids = ['stable-llt', 'stable-ll', 'stable-uuid'];
/** IAIDs that are derived from the interface's name. An IAID that is not set means `ifname` (ipv6.dhcp-iaid). */
const madeIaids = [undefined, 'ifname', 'stable'];

/**
 * Returns the DHCP identifiers for the profile of the bridge's internal interface. An identifier in this profile stays
 * until the administrator changes the corresponding setting. Without a lease on the NIC, the identifiers that an
 * earlier run recorded are used.
 */
export function keepDhcpIdentity({ settings: source, dhcp: observed, recorded, given, mac }: UplinkSource): {
  readonly ipv4: Values;
  readonly ipv6: Values;
  readonly notes: readonly PlanNote[];
} {
  const keep = (family: 'ipv4' | 'ipv6', key: string, made: readonly unknown[], seen: string | null): Values => {
    const isDynamic = ['auto', 'dhcp'].includes(textOf(source, family, 'method') ?? '');
    if (!isDynamic || !made.includes(jsonOf(source, family, key))) return {};
    const before = given?.[family]?.[key];
    const isChanged = recorded.changed.some((changed) => changed === `${family}.${key}`);
    if (given !== null && !isChanged) return before === undefined ? {} : { [key]: before };
    return seen === null ? {} : { [key]: ['s', seen] };
  };
  // The client-id that the NIC's MAC yields by default needs no setting, because the bridge has the same MAC.
  const isUsual = jsonOf(source, 'ipv4', 'dhcp-client-id') === undefined && observed?.clientId === ofMac(mac);
  const kept = {
    ipv4: keep(
      'ipv4',
      'dhcp-client-id',
      madeClientIds,
      isUsual ? null : (observed?.clientId ?? recorded.values['ipv4.dhcp-client-id'] ?? null),
    ),
    ipv6: {
      ...keep('ipv6', 'dhcp-duid', madeDuids, observed?.duid ?? recorded.values['ipv6.dhcp-duid'] ?? null),
      ...keep(
        'ipv6',
        'dhcp-iaid',
        madeIaids,
        iaidNumber(observed?.iaid ?? null) ?? recorded.values['ipv6.dhcp-iaid'] ?? null,
      ),
    },
  };
  const names = Object.entries(kept).flatMap(([family, values]) =>
    Object.keys(values).map((key) => `${family}.${key}`),
  );
  const verb = names.length === 1 ? 'keeps its present value' : 'keep their present values';
  const message = `${names.join(', ')} ${verb}, because the DHCP server could assign another address otherwise`;
  return { ...kept, notes: names.length === 0 ? [] : [{ level: 'info', message }] };
}

/**
 * Returns true if settings request an identifier that would differ on another interface. To keep such an identifier,
 * the agent has to read it from the NIC.
 */
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

/**
 * Returns the client-id of hardware type Ethernet with the MAC (RFC 2132 section 9.14), in NetworkManager's notation.
 */
function ofMac(mac: string): string {
  return `01:${mac.toLowerCase()}`;
}

/**
 * Converts an IAID from NetworkManager's output (`65:11:1c:af`) to a number, which NetworkManager has always accepted.
 */
function iaidNumber(shown: string | null): string | null {
  return shown === null ? null : String(Number.parseInt(shown.replaceAll(':', ''), 16));
}
