import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, listOf, type SettingValue, textOf } from '../../model/profile-settings.ts';
import { eui64Identifier, interfaceIdentifier, isLinkLocal6 } from '../../net/address.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/** Value eui64 of NMSettingIP6ConfigAddrGenMode. */
const eui64: SettingValue = ['i', 0];

interface KeptIdentifier {
  readonly ipv6: Readonly<Record<string, SettingValue>>;
  readonly notes: readonly PlanNote[];
}

const nothingKept: KeptIdentifier = { ipv6: {}, notes: [] };

/**
 * Returns the IPv6 settings that keep a SLAAC address during the move. A stable-privacy address (RFC 7217) is a hash of
 * the profile and the interface name. Both change, so the current interface identifier becomes a token (`ipv6.token`).
 * An EUI-64 identifier follows from the MAC. A token of the bridge's profile stays, whatever addresses the bridge has,
 * because other programs may have added addresses, and advertised ones may have expired. A NIC without an advertised
 * address, for example just after a boot, gets the token that an earlier run recorded for the NIC. If the NIC has
 * several identifiers, none is kept, and the result has a warning.
 */
export function keepInterfaceIdentifier(source: UplinkSource): KeptIdentifier {
  const { settings, given, recorded } = source;
  if (textOf(settings, 'ipv6', 'method') !== 'auto' || jsonOf(settings, 'ipv6', 'token') !== undefined)
    return nothingKept;
  const token = textOf(given, 'ipv6', 'token');
  if (token !== undefined) return asToken(token);
  const identifiers = slaacIdentifiers(source);
  const [identifier] = identifiers;
  if (identifiers.length > 1) {
    const message = `${source.addressLink.name} has IPv6 addresses with ${identifiers.length} different interface identifiers, and a token keeps only one: none is kept, stable-privacy addresses change`;
    return { ipv6: {}, notes: [{ level: 'warning', message }] };
  }
  const mode = jsonOf(given ?? settings, 'ipv6', 'addr-gen-mode');
  const former = mode === eui64[1] ? undefined : recorded.values['ipv6.token'];
  if (identifier === undefined && former !== undefined) return asToken(former);
  const isEui64 =
    identifier === undefined ? given !== null && mode === eui64[1] : identifier === eui64Identifier(source.mac);
  if (isEui64) return { ipv6: { 'addr-gen-mode': eui64 }, notes: [] };
  return identifier === undefined ? nothingKept : asToken(identifier);
}

function asToken(identifier: string): KeptIdentifier {
  const message = `the IPv6 interface identifier ${identifier} is kept as a token: a stable-privacy address would change with the interface name`;
  return {
    ipv6: { 'addr-gen-mode': eui64, token: ['s', identifier] },
    notes: [{ level: 'info', message }],
  };
}

/**
 * Returns the interface identifiers of advertised addresses. Deprecated addresses count only if there are no others.
 */
function slaacIdentifiers(source: UplinkSource): readonly string[] {
  const fixed = listOf(source.settings, 'ipv6', 'address-data').map((entry) => entry.address);
  const addresses = source.addressLink.addresses
    .filter((entry) => entry.family === 6 && entry.scope === 'global' && entry.prefixLength === 64)
    .filter(({ temporary, foreign }) => !temporary && foreign !== true)
    .filter((entry) => !isLinkLocal6(entry.address) && !fixed.includes(entry.address));
  const lasting = addresses.filter((entry) => !entry.deprecated);
  const identifiers = (lasting.length > 0 ? lasting : addresses)
    .map((entry) => interfaceIdentifier(entry.address))
    .filter((identifier) => identifier !== null);
  return [...new Set(identifiers)];
}
