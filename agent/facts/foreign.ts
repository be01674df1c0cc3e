import { readForeign } from '../drivers/host/kernel/change-kernel-entries.ts';
import type { AddedBridge } from '../model/added-bridge.ts';
import {
  isEmpty,
  type KernelAddress,
  type KernelEntries,
  type KernelRoute,
  type KernelRule,
  ruleValue,
} from '../model/kernel-entries.ts';
import { standbyMetric } from '../model/limits.ts';
import { bridges, userData } from '../model/names.ts';
import {
  isExternal,
  type Link,
  type NetworkManagerFacts,
  type NmActiveConnection,
  type NmDevice,
  type NmProfile,
  prefixedAddress,
  type Route,
} from '../model/observation.ts';
import { fixedAddresses, listOf, type ProfileSettings, stringsOf, textOf } from '../model/profile-settings.ts';
import { mayHaveOthers, readTableSigns } from './may-have-others.ts';

/** Returns the names of the agent's bridges, whose foreign entries are read even if no profile is active on them. */
function namesOf(added: readonly AddedBridge[]): readonly string[] {
  return [...bridges, ...added].map(({ bridge }) => bridge);
}

/**
 * Reads the entries that programs other than NetworkManager added to links. The result also contains entries that
 * NetworkManager may have added, because only its profiles distinguish the two kinds; `withoutListed` removes
 * NetworkManager's entries. The entries are read through ip(8), and only if the links, the routes or files in /proc/net
 * show that other programs may have added entries (may-have-others.ts); the list is empty otherwise.
 */
export async function readForeignEntries(
  links: readonly Link[],
  routes: readonly Route[],
  added: readonly AddedBridge[],
): Promise<readonly KernelEntries[]> {
  return mayHaveOthers(links, routes, namesOf(added), readTableSigns()) ? readForeign(standbyMetric) : [];
}

/**
 * Leaves out entries that the active profile of a link contains, or that it may have added, for example from a lease.
 * An entry that the profile contains is left out even if another program or an administrator has added it to the link.
 * NetworkManager may have generated the profile from such entries. Also leaves out links without an active profile,
 * except the agent's bridges and lo.
 */
export function withoutListed(
  foreign: readonly KernelEntries[],
  { profiles, activeConnections, devices }: NetworkManagerFacts,
  added: readonly AddedBridge[] = [],
): readonly KernelEntries[] {
  const ofBridges = namesOf(added);
  return foreign.flatMap((entries) => {
    const own = devices.filter((device) => device.interface === entries.interface);
    const running = activeConnections.filter((active) =>
      active.devices.some((path) => own.some((device) => device.path === path)),
    );
    const isBridge = ofBridges.includes(entries.interface);
    // A link without an active profile is left out, because it is not known which program added its addresses and
    // routes. The agent's bridges and lo are exceptions.
    if (running.length === 0 && !isBridge && entries.interface !== 'lo') return [];
    // After a restart of NetworkManager, a bridge of the agent has no active profile yet. The profile that the agent
    // made for the bridge is then used in place of an active one.
    const isItsOwn = ({ settings }: NmProfile): boolean =>
      isBridge &&
      textOf(settings, 'connection', 'interface-name') === entries.interface &&
      textOf(settings, 'connection', 'type') === 'ovs-interface';
    const settings = profiles
      .filter((profile) => running.some((active) => active.uuid === profile.uuid) || isItsOwn(profile))
      .map((profile) => profile.settings);
    // NetworkManager generates a profile from everything that a link has. Routes of every protocol are therefore
    // compared with the routes of a generated profile.
    const isMadeUp = running.some(isExternal);
    const isManagers = isBridge
      ? isOfBridge(settings)
      : (address: KernelAddress): boolean => settings.some((one) => mayGive(one, address, own));
    const left = {
      ...entries,
      addresses: entries.addresses.filter((entry) => !isListed(settings, entry) && !isManagers(entry)),
      routes:
        entries.interface === 'lo'
          ? []
          : entries.routes.filter((route) => !isExplained(settings, route, own, isMadeUp)),
      ...(entries.rules === undefined
        ? {}
        : { rules: entries.rules.filter((rule) => !isListedRule(profiles, activeConnections, rule)) }),
    };
    const { rules = [], unmovable, ...plain } = left;
    const kept = {
      ...plain,
      ...(rules.length === 0 ? {} : { rules }),
      ...(unmovable === undefined || entries.interface === 'lo' ? {} : { unmovable }),
    };
    return isEmpty(kept) && kept.unmovable === undefined ? [] : [kept];
  });
}

function isListed(settings: readonly ProfileSettings[], { address }: KernelAddress): boolean {
  return settings.some((one) => fixedAddresses(one).includes(address));
}

/**
 * Returns a predicate for addresses that NetworkManager has added to a bridge of the agent although no profile lists
 * them. These have the flag noprefixroute. An address of another program has this flag only if it came to the bridge
 * with the NIC. The predicate is false for such an address, because the bridge's profile records it.
 */
function isOfBridge(settings: readonly ProfileSettings[]): (address: KernelAddress) => boolean {
  const carried = settings.flatMap((one) => (stringsOf(one, 'user', 'data')[userData.carried] ?? '').split(' '));
  return ({ address, flags = [] }) => flags.includes('noprefixroute') && !carried.includes(address);
}

/**
 * Returns true if a profile may have added an address that it does not list: from a lease, a router advertisement, or
 * as a link-local address.
 */
function mayGive(
  settings: ProfileSettings,
  { address, flags = [] }: KernelAddress,
  devices: readonly NmDevice[],
): boolean {
  if (!flags.includes('noprefixroute')) return false;
  const isIpv6 = address.includes(':');
  const method = textOf(settings, isIpv6 ? 'ipv6' : 'ipv4', 'method') ?? 'disabled';
  if (['manual', 'disabled', 'ignore'].includes(method)) return false;
  const lease = devices.flatMap(({ dhcp }) => dhcp?.address ?? [])[0];
  return isIpv6 || method !== 'auto' || lease === undefined || lease === address.split('/')[0];
}

/**
 * Returns true for a route that comes from a profile. NetworkManager uses the protocol `static` for the routes of a
 * profile, for the default route through its gateway, and for the route to a gateway outside of every connected
 * network. If a link has no profile, every route with this protocol counts as such a route.
 */
function isExplained(
  settings: readonly ProfileSettings[],
  { destination, gateway, protocol }: KernelRoute,
  devices: readonly NmDevice[],
  isMadeUp: boolean,
): boolean {
  if (protocol !== 'static' && !isMadeUp) return false;
  if (settings.length === 0) return true;
  const family = destination.includes(':') ? 'ipv6' : 'ipv4';
  const own = settings.flatMap((one) => {
    const route = (to: string, hop: unknown) => ({ to, hop: (hop ?? null) as string | null });
    const default_ = textOf(one, family, 'gateway');
    return [
      ...listOf(one, family, 'route-data').map((entry) => route(`${entry.dest}/${entry.prefix}`, entry['next-hop'])),
      ...(default_ === undefined ? [] : [route(family === 'ipv6' ? '::/0' : '0.0.0.0/0', default_)]),
    ];
  });
  if (own.some((route) => route.to === destination && route.hop === gateway)) return true;
  const routers = devices.flatMap(({ dhcp }) => dhcp?.routers ?? []);
  const gateways = [...own.flatMap(({ hop }) => hop ?? []), ...routers].flatMap((hop) => [`${hop}/32`, `${hop}/128`]);
  return gateway === null && !destination.endsWith('/0') && gateways.includes(destination);
}

/**
 * Returns true for a routing rule that has the protocol of NetworkManager's rules (`static`) and the priority of a rule
 * in an active profile.
 */
function isListedRule(
  profiles: readonly NmProfile[],
  activeConnections: readonly NmActiveConnection[],
  rule: KernelRule,
): boolean {
  if (ruleValue(rule, 'proto') !== 'static') return false;
  return profiles
    .filter((profile) => activeConnections.some((active) => active.uuid === profile.uuid))
    .flatMap(({ settings }) => listOf(settings, rule.family === 4 ? 'ipv4' : 'ipv6', 'routing-rules'))
    .some(({ priority }) => String(priority ?? '') === ruleValue(rule, 'pref'));
}

/** Returns the links with their foreign addresses marked. */
export function withForeignMarks(links: readonly Link[], foreign: readonly KernelEntries[]): readonly Link[] {
  return links.map((link) => {
    const own = foreign.find((entries) => entries.interface === link.name)?.addresses.map(({ address }) => address);
    if (own === undefined) return link;
    const addresses = link.addresses.map((entry) =>
      own.includes(prefixedAddress(entry)) ? { ...entry, foreign: true as const } : entry,
    );
    return { ...link, addresses };
  });
}
