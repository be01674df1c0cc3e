import type { KernelAddress, KernelEntries, KernelRoute } from '../../../model/kernel-entries.ts';
import { inOrderOfAdding } from './kernel-order.ts';

/*
 * Conversion of kernel entries to commands of ip(8). All attributes are written, because ip(8) chooses a value for a
 * missing one, such as the scope of a route without a gateway.
 */

/**
 * Verb of ip(8) for adding a route. `replace` replaces any route with the same destination and metric. `append` does
 * not change routes of other links, and fails for a route that exists.
 */
export type GivingOfRoutes = 'replace' | 'append';

/**
 * Returns the commands that add entries to an interface: first addresses, then neighbours, then routes. The commands
 * for policy rules are not among them.
 */
export function wordsOf(entries: KernelEntries, giving: GivingOfRoutes): readonly string[] {
  const { interface: name, addresses, routes, neighbours } = entries;
  return [
    ...inOrderOfAdding(addresses).map((entry) => `address replace ${addressWords(entry, name)}`),
    ...neighbours.map(({ address, mac }) => `neighbour replace ${address} lladdr ${mac} nud permanent dev ${name}`),
    ...gatewaysFirst(routes).map((route) => `route ${giving} ${routeWords(route, name)}`),
  ];
}

/** Returns the commands that remove routes from an interface. */
export function withoutRoutes({ interface: name, routes }: KernelEntries): readonly string[] {
  return routes.map((route) => `route delete ${routeWords(route, name)}`);
}

/** Returns the commands that add or delete the policy rules of one family. */
export function ruleWords({ rules = [] }: KernelEntries, family: 4 | 6, verb: 'add' | 'delete'): readonly string[] {
  return rules.filter((rule) => rule.family === family).map(({ words }) => `rule ${verb} ${words.join(' ')}`);
}

/** Returns the command that removes an address from an interface. */
export function withoutAddress({ address, peer }: KernelAddress, name: string): string {
  return `address delete ${peer === undefined ? address : `${addressOf(address)} peer ${peer}`} dev ${name}`;
}

function addressWords(entry: KernelAddress, name: string): string {
  const { address, peer, broadcast, scope, label, metric, protocol, flags = [], noDad, deprecated } = entry;
  const { validSeconds, preferredSeconds } = entry;
  const isTimed = validSeconds !== undefined || preferredSeconds !== undefined;
  const lifetimes = isTimed
    ? ` valid_lft ${validSeconds ?? 'forever'} preferred_lft ${preferredSeconds ?? 'forever'}`
    : deprecated
      ? ' preferred_lft 0'
      : '';
  return [
    peer === undefined ? address : `${addressOf(address)} peer ${peer}`,
    ` dev ${name}`,
    option('broadcast', broadcast),
    option('scope', scope),
    label === undefined ? '' : ` label ${name}${label}`,
    option('metric', metric),
    option('proto', protocol),
    ...flags.map((flag) => ` ${flag}`),
    noDad ? ' nodad' : '',
    lifetimes,
  ].join('');
}

function routeWords(route: KernelRoute, name: string): string {
  const {
    type,
    destination,
    gateway,
    source,
    metric,
    mtuBytes,
    table,
    scope,
    protocol,
    options = [],
    nextHops,
  } = route;
  const hops = nextHops?.map((words) => ` nexthop ${words.join(' ')}`) ?? [];
  return [
    type === undefined ? '' : `${type} `,
    destination,
    option('via', gateway),
    nextHops === undefined ? ` dev ${name}` : '',
    option('proto', protocol),
    option('scope', scope),
    option('src', source),
    option('metric', metric),
    option('mtu', mtuBytes),
    option('table', table),
    ...options.map((word) => ` ${word}`),
    ...hops,
  ].join('');
}

/**
 * Returns the routes, those without a gateway first. Unless a route has the flag `onlink`, the kernel accepts its
 * gateway only if the gateway is reachable on the link.
 */
function gatewaysFirst(routes: readonly KernelRoute[]): readonly KernelRoute[] {
  const hasGateway = ({ gateway, nextHops, options = [] }: KernelRoute): boolean =>
    gateway !== null || nextHops !== undefined || options.includes('via');
  return [...routes.filter((route) => !hasGateway(route)), ...routes.filter(hasGateway)];
}

function option(word: string, value: string | number | null | undefined): string {
  return value === null || value === undefined ? '' : ` ${word} ${value}`;
}

function addressOf(prefixed: string): string {
  return prefixed.split('/')[0] ?? '';
}
