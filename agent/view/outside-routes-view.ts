import type { NoRouteState, OutsideRoute, OutsideRoutes, RouteFormat } from '../model/outside-routes.ts';
import { parseRange } from '../net/address-range.ts';
import { joinLines } from './style.ts';

/** Reasons why no route leads to a subnet, in words. */
const reasons: Readonly<Record<NoRouteState, string>> = {
  'no-gateway': 'the node is not a gateway',
  'gateway-down': 'the gateway does not answer',
  'shared-address': 'several gateways share the address',
  'other-gateway': 'the subnet leaves by the gateway of another node',
  'no-address': 'the gateway has no address of this family',
  'no-clients': 'overlay.outsideClients of the node permits no client of this family',
  'old-layout': 'the cluster has the layout of 2017',
};

/** Returns the reason why no route leads to a subnet, in words. */
export function noRouteReason(state: NoRouteState): string {
  return reasons[state];
}

/** Syntax of routes for a router: the beginning of a comment, and a function that returns the lines of a route. */
interface Syntax {
  readonly comment: string;
  lines(route: OutsideRoute): readonly string[];
}

const syntaxes: Readonly<Record<RouteFormat, Syntax>> = {
  /** Input of `ip -batch` (ip(8), ip-route(8)). */
  linux: {
    comment: '#',
    lines: ({ destination, nextHop }) => [`route replace ${destination} via ${nextHop}`],
  },
  /** Configuration of FRRouting (https://docs.frrouting.org/en/latest/static.html). */
  frr: {
    comment: '!',
    lines: ({ destination, nextHop }) => [`${isIpv6(destination) ? 'ipv6' : 'ip'} route ${destination} ${nextHop}`],
  },
  /**
   * Configuration of Cisco IOS, in which only IPv6 has prefix lengths
   * (https://www.cisco.com/E-Learning/bulk/public/tac/cim/cib/using_cisco_ios_software/cmdrefs/ip_route.htm;
   * "Configuring IPv6 Unicast Routing" of Cisco IE 4000, https://www.easymanua.ls/cisco/ie-4000/manual/733332?p=949).
   */
  ios: {
    comment: '!',
    lines: ({ destination, nextHop }) =>
      isIpv6(destination)
        ? [`ipv6 route ${destination} ${nextHop}`]
        : [`ip route ${destination.replace(/\/.*/, '')} ${netmask(destination)} ${nextHop}`],
  },
  /**
   * Configuration of F5 BIG-IP for `tmsh load sys config merge file FILE`, which creates or changes the objects that
   * the file has
   * (https://community.f5.com/t5/technical-articles/demystifying-icontrol-rest-merging-big-ip-config-files/ta-p/289135;
   * the attributes of a route: https://clouddocs.f5.com/cli/tmsh-reference/latest/modules/net/net_route.html).
   */
  bigip: {
    comment: '#',
    lines: ({ node, destination, nextHop }) => [
      `net route /Common/microshift-net-${node}-ipv${isIpv6(destination) ? 6 : 4} {`,
      `    gw ${nextHop}`,
      `    network ${destination}`,
      '}',
    ],
  },
};

/**
 * Returns the routes in the syntax of a router. Comments in this syntax name the node of each route, and the subnets
 * without a route with the reason.
 */
export function outsideRoutesText({ routes, withoutRoute }: OutsideRoutes, format: RouteFormat): string {
  const { comment, lines } = syntaxes[format];
  return joinLines([
    ...(routes.length + withoutRoute.length === 0 ? [`${comment} no node of the cluster has pods`] : []),
    ...routes.flatMap((route) => [`${comment} ${route.node}, for ${route.clients.join(' ')}`, ...lines(route)]),
    ...withoutRoute.map(
      ({ node, destination, state }) => `${comment} ${node}, no route to ${destination}: ${reasons[state]}`,
    ),
  ]);
}

function isIpv6(text: string): boolean {
  return text.includes(':');
}

/** Returns the mask of an IPv4 subnet: 10.42.1.0/24 → 255.255.255.0. */
function netmask(subnet: string): string {
  const { prefixLength = 0 } = parseRange(subnet) ?? {};
  const bits = prefixLength === 0 ? 0 : (0xff_ff_ff_ff << (32 - prefixLength)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
}
