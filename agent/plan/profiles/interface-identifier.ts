import type { PlanNote } from '../../model/plan.ts';
import { jsonOf, listOf, type SettingValue, textOf } from '../../model/settings.ts';
import { eui64Identifier, interfaceIdentifier, isLinkLocal6 } from '../../net/address.ts';
import type { UplinkSource } from '../uplink/source-profile.ts';

/** NMSettingIP6ConfigAddrGenMode: eui64. */
const eui64: SettingValue = ['i', 0];

/**
 * Keeps a SLAAC address over the move. A stable-privacy address (RFC 7217) is a hash of the profile and the interface name, both of
 * which change, so the identifier the node has now becomes a token (`ipv6.token`); an EUI-64 one follows from the MAC by itself.
 */
export function keepInterfaceIdentifier(source: UplinkSource): {
  ipv6: Readonly<Record<string, SettingValue>>;
  notes: readonly PlanNote[];
} {
  const { settings } = source;
  if (textOf(settings, 'ipv6', 'method') !== 'auto' || jsonOf(settings, 'ipv6', 'token') !== undefined)
    return { ipv6: {}, notes: [] };
  const identifiers = slaacIdentifiers(source);
  const [identifier] = identifiers;
  if (identifier === undefined) return { ipv6: {}, notes: [] };
  const bridge = source.addressLink.name;
  if (identifiers.length > 1) {
    const message = `${bridge} has IPv6 addresses with ${identifiers.length} different interface identifiers; only one can be kept, the others change`;
    return { ipv6: {}, notes: [{ level: 'warning', message }] };
  }
  if (identifier === eui64Identifier(source.mac)) return { ipv6: { 'addr-gen-mode': eui64 }, notes: [] };
  const message = `the IPv6 interface identifier ${identifier} is kept as a token: a stable-privacy address would change with the interface name`;
  return {
    ipv6: { 'addr-gen-mode': eui64, token: ['s', identifier] },
    notes: [{ level: 'info', message }],
  };
}

function slaacIdentifiers(source: UplinkSource): readonly string[] {
  const fixed = listOf(source.settings, 'ipv6', 'address-data').map((entry) => entry.address);
  const identifiers = source.addressLink.addresses
    .filter((entry) => entry.family === 6 && entry.scope === 'global' && entry.prefixLength === 64 && !entry.temporary)
    .filter((entry) => !isLinkLocal6(entry.address) && !fixed.includes(entry.address))
    .map((entry) => interfaceIdentifier(entry.address))
    .filter((identifier) => identifier !== null);
  return [...new Set(identifiers)];
}
