import { isDynamic } from '../../model/dynamic-families.ts';
import { endlessDhcpTimeout, standbyMetric } from '../../model/limits.ts';
import {
  addressesOf,
  isBindable,
  type Link,
  type LinkAddress,
  type Observation,
  type Route,
} from '../../model/observation.ts';
import type { WantedProfile } from '../../model/plan.ts';
import {
  fixedAddresses,
  type Json,
  jsonOf,
  listOf,
  type ProfileSettings,
  type SettingValue,
  textOf,
} from '../../model/profile-settings.ts';
import { familyOf, familyOfZoned, isLinkLocal6 } from '../../net/address.ts';
import { isDefault } from '../../net/destination.ts';
import { pingKeys } from '../profiles/transfer.ts';
import { ownRoutes } from './own-routes.ts';

/*
 * The handover: before the NIC moves, the bridge's internal interface already has the node's addresses and routes, with
 * higher metrics than the NIC's. When the addresses and routes of the NIC are removed, those of the bridge are
 * effective at once. docs/decisions/0001 explains the choice.
 */

type Family = 4 | 6;
type Setting = Readonly<Record<string, SettingValue>>;

/**
 * Returns the global addresses of a link as `address/prefix`. Leaves out foreign addresses, temporary addresses (RFC
 * 8981), and addresses whose duplicate address detection is in progress or has failed.
 */
export function stableAddresses(link: Link): readonly string[] {
  return addressesOf(link, isStable);
}

/**
 * Returns those global addresses of a link that NetworkManager adds for a profile with these settings; all of them if
 * `settings` is null. Leaves out the same addresses as stableAddresses().
 */
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
 * Returns the profile of the bridge's internal interface while the NIC still has the addresses. The profile has the
 * addresses of the NIC as static addresses, and routes with higher metrics than those of the NIC. If router
 * advertisements or DHCPv6 configure IPv6, the settings of IPv6 are final from the start, except `may-fail`, because
 * NetworkManager loses its IPv6 state whenever these settings change. The agent adds the addresses that no router has
 * provided yet (`ipv6Hold`).
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

/**
 * Returns the profile of the bridge's internal interface without IP configuration, for the time before the NIC is a
 * port. It is used if the NIC has no addresses to hand over. A request for an address would be in vain at this time,
 * because no answer could reach the interface.
 */
export function withoutAddresses(final: WantedProfile): WantedProfile {
  const disabled: Setting = { method: ['s', 'disabled'] };
  return { ...final, settings: { ...withoutPings(final.settings), ipv4: disabled, ipv6: disabled } };
}

/**
 * Removes the settings by which NetworkManager pings addresses, because no host answers while the NIC is not a port.
 */
function withoutPings(settings: ProfileSettings): ProfileSettings {
  const connection = Object.entries(settings.connection ?? {}).filter(([key]) => !pingKeys.includes(key));
  return { ...settings, connection: Object.fromEntries(connection) };
}

/**
 * Returns the settings that apply until the lease has arrived: the final settings and, in addition, the IPv4 addresses
 * and routes that the NIC has. Without DHCP for IPv4, returns the final settings. NetworkManager removes all addresses
 * of a device, including static ones, when its DHCP client gives up. The client therefore never gives up; the run has a
 * time limit instead, after which it is rolled back.
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

/** Dynamic IPv6 addresses and gateways that are held until the bridge has its own. */
export interface Ipv6Held {
  readonly addresses: readonly string[];
  readonly gateways: readonly string[];
}

/**
 * Returns the IPv6 addresses and gateways that have to be held until the bridge receives its own by router
 * advertisements or DHCPv6; null if no address has to be held.
 */
export function ipv6Hold(final: WantedProfile, link: Link, observation: Observation): Ipv6Held | null {
  if (!isDynamic(6, final.settings)) return null;
  const addresses = addressesOf(link, (entry) => entry.family === 6 && isStable(entry));
  return addresses.length === 0
    ? null
    : { addresses, gateways: gatewaysOf(link, ownRoutes(observation)).filter((gateway) => familyOf(gateway) === 6) };
}

/** Returns the gateways of the default routes through a link. */
export function defaultGateways(link: Link, { routes }: Observation): readonly string[] {
  return gatewaysOf(link, routes);
}

function gatewaysOf(link: Link, routes: readonly Route[]): readonly string[] {
  const own = routes.filter((route) => route.device === link.name && isDefault(route.destination));
  return [...new Set(own.flatMap((route) => route.gateway ?? []))];
}

/**
 * Returns true if a profile disables IPv4. NetworkManager then considers the profile active only after IPv6 is
 * configured, whatever `ipv6.may-fail` is.
 */
export function hasOnlyIpv6(settings: ProfileSettings): boolean {
  return textOf(settings, 'ipv4', 'method') === 'disabled';
}

/** Returns the IPv6 settings with `may-fail`, because the bridge must come up before a router is reachable. */
function dynamicIpv6(final: ProfileSettings): Setting {
  const { ipv6 = {} } = final;
  return jsonOf(final, 'ipv6', 'may-fail') === false ? { ...ipv6, 'may-fail': ['b', true] } : ipv6;
}

/**
 * Returns true for a global address that moves with the NIC, once duplicate address detection has ended without a
 * duplicate. Foreign addresses move in other steps, and temporary addresses (RFC 8981) do not move.
 */
export function isMovable(entry: LinkAddress): boolean {
  return (
    entry.scope === 'global' &&
    entry.foreign !== true &&
    !entry.temporary &&
    !(entry.family === 6 && isLinkLocal6(entry.address))
  );
}

function isStable(entry: LinkAddress): boolean {
  return isMovable(entry) && isBindable(entry);
}

function fixedSetting(family: Family, final: ProfileSettings, link: Link, observation: Observation): Setting {
  const present = link.addresses.filter((entry) => entry.family === family && isStable(entry));
  const addresses = inOrderOf(final, family, present);
  if (addresses.length === 0) return { method: ['s', 'disabled'] };
  const nameservers = observation.resolver.nameservers.filter((server) => familyOfZoned(server) === family);
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
    // IPv4 addresses are not checked for duplicates, because the node has these addresses already.
    ...(family === 4 ? { 'dad-timeout': ['i', 0] as const } : {}),
  };
}

/**
 * Returns the addresses in the order of the final profile, and the rest after them. NetworkManager sorts the addresses
 * of an interface by removing and adding them. For IPv6, that repeats duplicate address detection, during which the
 * node does not answer for 2 s.
 */
function inOrderOf(final: ProfileSettings, family: Family, addresses: Link['addresses']): Link['addresses'] {
  const listed = listOf(final, `ipv${family}`, 'address-data');
  const place = (entry: Link['addresses'][number]): number => {
    const index = listed.findIndex((item) => item.address === entry.address);
    return index === -1 ? listed.length : index;
  };
  return addresses.toSorted((one, other) => place(one) - place(other));
}

/**
 * Returns true for a route that moves to the bridge. Other routes do not have to move: connected routes follow from the
 * addresses, and multicast and link-local routes from the interface.
 */
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
