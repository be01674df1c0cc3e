import { isIPv4, isIPv6 } from 'node:net';
import { endlessDhcpTimeout, standbyMetric } from '../../model/limits.ts';
import { addressesOf, type Link, type Observation, type Route } from '../../model/observation.ts';
import type { WantedProfile } from '../../model/plan.ts';
import {
  fixedAddresses,
  type Json,
  jsonOf,
  listOf,
  type ProfileSettings,
  type SettingValue,
  textOf,
} from '../../model/settings.ts';
import { familyOf, isLinkLocal6 } from '../../net/address.ts';
import { isDefault } from '../../net/destination.ts';
import { pingKeys } from '../profiles/transfer.ts';
import { ownRoutes } from './own-routes.ts';

/*
 * The handover: before the NIC moves, the bridge's own interface already has the node's addresses and routes, with higher metrics
 * than the NIC's. The moment the NIC's own go, these are what is left, and nothing has to be waited for. docs/decisions has the
 * measurement.
 */

type Family = 4 | 6;
type Setting = Readonly<Record<string, SettingValue>>;

/** Global addresses of a link but temporary ones (RFC 8981) and those that are still checked for duplicates, as `address/prefix`. */
export function stableAddresses(link: Link): readonly string[] {
  return addressesOf(link, isStable);
}

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

/**
 * The bridge interface's profile while the NIC still has the addresses: the same ones, fixed, with standby metrics. Dynamic IPv6
 * is final from the start, because NetworkManager restarts it from nothing whenever its settings change; what it has no address for
 * yet is held beside it (`ipv6Hold`).
 */
export function handoverProfile(final: WantedProfile, link: Link, observation: Observation): WantedProfile {
  return {
    ...final,
    settings: {
      ...withoutPings(final.settings),
      ipv4: fixedSetting(4, final.settings, link, observation),
      ipv6: isDynamic(6, final.settings)
        ? dynamicIpv6(final.settings)
        : fixedSetting(6, final.settings, link, observation),
    },
  };
}

/** The bridge interface's profile while the NIC is not a port yet and has nothing to hand over: an answer could not reach it. */
export function withoutAddresses(final: WantedProfile): WantedProfile {
  const disabled: Setting = { method: ['s', 'disabled'] };
  return { ...final, settings: { ...withoutPings(final.settings), ipv4: disabled, ipv6: disabled } };
}

/** Nobody answers a ping while the NIC is not a port. */
function withoutPings(settings: ProfileSettings): ProfileSettings {
  const connection = Object.entries(settings.connection ?? {}).filter(([key]) => !pingKeys.includes(key));
  return { ...settings, connection: Object.fromEntries(connection) };
}

/**
 * The final settings with the old IPv4 addresses kept beside them: applied until the lease has arrived. NetworkManager takes the addresses of a
 * device off when its DHCP client gives up, the fixed ones too: here it is the run that gives up, and goes back.
 */
export function overlapSettings(final: WantedProfile, link: Link, observation: Observation): ProfileSettings {
  if (!isDynamic(4, final.settings)) return final.settings;
  const own = final.settings.ipv4 ?? {};
  const fixed = fixedSetting(4, final.settings, link, observation);
  const ipv4: Setting = {
    ...own,
    'address-data': joinLists(own['address-data'], fixed['address-data']),
    'route-data': joinLists(own['route-data'], fixed['route-data']),
    'dad-timeout': ['i', 0],
    'dhcp-timeout': ['i', endlessDhcpTimeout],
  };
  return { ...final.settings, ipv4 };
}

/** What is held of dynamic IPv6 until the bridge has its own. */
export interface Ipv6Held {
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
}

/** IPv6 addresses and gateways to hold by hand while dynamic IPv6 has none of its own; null when there is nothing to hold. */
export function ipv6Hold(final: WantedProfile, link: Link, observation: Observation): Ipv6Held | null {
  if (!isDynamic(6, final.settings)) return null;
  const addresses = addressesOf(link, (entry) => entry.family === 6 && isStable(entry));
  return addresses.length === 0
    ? null
    : { addresses, gateways: gatewaysOf(link, ownRoutes(observation)).filter((gateway) => familyOf(gateway) === 6) };
}

/** Gateways of the default routes through a link. */
export function defaultGateways(link: Link, { routes }: Observation): readonly string[] {
  return gatewaysOf(link, routes);
}

function gatewaysOf(link: Link, routes: readonly Route[]): readonly string[] {
  const own = routes.filter((route) => route.device === link.name && isDefault(route.destination));
  return [...new Set(own.flatMap((route) => route.gateway ?? []))];
}

/** Families of a profile that are configured by DHCP or router advertisements. */
export function dynamicFamilies(settings: ProfileSettings): readonly Family[] {
  return ([4, 6] as const).filter((family) => isDynamic(family, settings));
}

/** Whether a profile gives no IPv4 address: NetworkManager has started it only once IPv6 is configured, whatever `ipv6.may-fail` says. */
export function hasOnlyIpv6(settings: ProfileSettings): boolean {
  return textOf(settings, 'ipv4', 'method') === 'disabled';
}

function isDynamic(family: Family, settings: ProfileSettings): boolean {
  return ['auto', 'dhcp'].includes(textOf(settings, `ipv${family}`, 'method') ?? '');
}

/** Without a router in reach yet the bridge must come up all the same. */
function dynamicIpv6(final: ProfileSettings): Setting {
  const { ipv6 = {} } = final;
  return jsonOf(final, 'ipv6', 'may-fail') === false ? { ...ipv6, 'may-fail': ['b', true] } : ipv6;
}

function isStable(entry: Link['addresses'][number]): boolean {
  return (
    entry.scope === 'global' &&
    entry.foreign !== true &&
    !entry.temporary &&
    !entry.tentative &&
    !entry.dadFailed &&
    !(entry.family === 6 && isLinkLocal6(entry.address))
  );
}

function fixedSetting(family: Family, final: ProfileSettings, link: Link, observation: Observation): Setting {
  const present = link.addresses.filter((entry) => entry.family === family && isStable(entry));
  const addresses = inOrderOf(final, family, present);
  if (addresses.length === 0) return { method: ['s', 'disabled'] };
  const nameservers = observation.resolver.nameservers.filter((server) =>
    family === 4 ? isIPv4(server) : isIPv6(server),
  );
  const routes = ownRoutes(observation).filter(
    (route) => route.family === family && route.device === link.name && isMovedRoute(route),
  );
  return {
    method: ['s', 'manual'],
    'address-data': [
      'aa{sv}',
      addresses.map((entry) => ({ address: ['s', entry.address], prefix: ['u', entry.prefixLength] })),
    ],
    'route-data': ['aa{sv}', routes.map(standbyRoute)],
    'route-metric': ['x', standbyMetric],
    'dns-data': ['as', nameservers.filter((server) => !server.startsWith('127.'))],
    'dns-search': ['as', observation.resolver.search],
    // The node holds these addresses this very moment: asking the LAN whether somebody else does only costs time.
    ...(family === 4 ? { 'dad-timeout': ['i', 0] as const } : {}),
  };
}

/**
 * Addresses in the order of the profile that follows, the rest behind them. NetworkManager sorts an interface's addresses by taking them
 * off and adding them again, which for IPv6 is duplicate address detection again: 2 s of silence.
 */
function inOrderOf(final: ProfileSettings, family: Family, addresses: Link['addresses']): Link['addresses'] {
  const listed = listOf(final, `ipv${family}`, 'address-data');
  const place = (entry: Link['addresses'][number]): number => {
    const index = listed.findIndex((item) => item.address === entry.address);
    return index === -1 ? listed.length : index;
  };
  return addresses.toSorted((one, other) => place(one) - place(other));
}

/** Connected routes come with the addresses; multicast and link-local ones with the interface. */
function isMovedRoute(route: Route): boolean {
  return route.gateway !== null || isDefault(route.destination);
}

function standbyRoute(route: Route): Json {
  const [destination = '', prefix = '0'] = route.destination.split('/');
  return {
    dest: ['s', destination],
    prefix: ['u', Number(prefix)],
    metric: ['u', standbyMetric],
    ...(route.gateway === null ? {} : { 'next-hop': ['s', route.gateway] }),
  };
}

function joinLists(own: SettingValue | undefined, more: SettingValue | undefined): SettingValue {
  const items = [own, more].flatMap((value) => (value === undefined ? [] : (value[1] as readonly Json[])));
  const unique = new Map(items.map((item) => [JSON.stringify(item), item]));
  return ['aa{sv}', [...unique.values()]];
}
