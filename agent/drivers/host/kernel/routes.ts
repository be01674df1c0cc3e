import type { Route } from '../../../model/observation.ts';
import { signpost } from '../../../model/signpost.ts';
import { compressIpv6 } from '../../../net/address.ts';
import { fileText } from '../files/kernel-files.ts';

/**
 * Flags of a route in linux/route.h and linux/ipv6_route.h: RTF_UP, RTF_GATEWAY, RTF_REJECT, RTF_ADDRCONF, RTF_LOCAL.
 */
const upFlag = 0x1;
const gatewayFlag = 0x2;
const rejectFlag = 0x200;
const addrconfFlag = 0x40000;
const localFlag = 0x80000000;
const noGateway = '00000000';

/**
 * Returns the unicast IPv4 routes of the main table, and the unicast IPv6 routes of all tables (/proc/net/ipv6_route).
 * Leaves out the signpost, and the IPv6 routes of lo. An IPv4 route with several next hops is listed with its first
 * device and gateway.
 */
export function readRoutes(root = ''): Route[] {
  return [...readIpv4Routes(`${root}/proc/net/route`), ...readIpv6Routes(`${root}/proc/net/ipv6_route`)];
}

/**
 * Returns true if the signpost exists, the default route by which MicroShift finds the node on lo (model/signpost.ts).
 * The signpost is not one of the node's own routes, so `readRoutes` leaves it out.
 */
export function readSignpost(root = ''): boolean {
  return readLines(`${root}/proc/net/ipv6_route`).some((line) => line.trimEnd().endsWith(` ${signpost.device}`));
}

/** Returns the IPv6 routes that the kernel itself added from router advertisements, without those of NetworkManager. */
export function readKernelAdvertisedRoutes(root = ''): Route[] {
  return readIpv6Routes(`${root}/proc/net/ipv6_route`, addrconfFlag);
}

/** Reads /proc/net/route, whose addresses are little-endian hex words (Linux net/ipv4/fib_trie.c). */
function readIpv4Routes(path: string): Route[] {
  const routes: Route[] = [];
  for (const line of readLines(path).slice(1)) {
    const [device = '', destination = '', gateway = '', flags = '', , , metric = '', mask = ''] = line.split('\t');
    const bits = Number.parseInt(flags, 16);
    if ((bits & upFlag) === 0 || (bits & rejectFlag) !== 0) continue;
    routes.push({
      family: 4,
      destination: `${dottedQuad(destination)}/${prefixLength(mask)}`,
      gateway: gateway === noGateway ? null : dottedQuad(gateway),
      // For a gateway of the other family (`via inet6`), /proc/net/route has only a flag, and not the address
      // (fib_trie.c, nhc_gw).
      ...(gateway === noGateway && (bits & gatewayFlag) !== 0 ? { viaIpv6: true as const } : {}),
      device,
      metric: Number(metric),
    });
  }
  return routes;
}

/**
 * Reads /proc/net/ipv6_route, whose fields are all hex except the device: destination, prefix, source, prefix, next
 * hop, metric, refs, use, flags, device.
 */
function readIpv6Routes(path: string, requiredFlags = upFlag): Route[] {
  const routes: Route[] = [];
  for (const line of readLines(path)) {
    const [destination = '', prefix = '', , , nextHop = '', metric = '', , , flags = '', device = ''] = line
      .trim()
      .split(/\s+/);
    const bits = Number.parseInt(flags, 16);
    const isUp = (bits & upFlag) !== 0 && (bits & requiredFlags) !== 0;
    const isUnicast = (bits & (rejectFlag | localFlag)) === 0 && !destination.startsWith('ff');
    if (['', 'lo', signpost.device].includes(device) || !isUp || !isUnicast) continue;
    routes.push({
      family: 6,
      destination: `${compressIpv6(destination)}/${Number.parseInt(prefix, 16)}`,
      gateway: /^0+$/.test(nextHop) ? null : compressIpv6(nextHop),
      device,
      metric: Number.parseInt(metric, 16),
    });
  }
  return routes;
}

function readLines(path: string): string[] {
  return (fileText(path) ?? '').split('\n').filter((line) => line !== '');
}

function dottedQuad(hex: string): string {
  return (hex.match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join('.');
}

function prefixLength(hexMask: string): number {
  return [...Number.parseInt(hexMask, 16).toString(2)].filter((bit) => bit === '1').length;
}
