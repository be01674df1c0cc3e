import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { LinkAddress } from '../../../model/observation.ts';
import { fileText } from '../files/kernel-files.ts';
import { readRoutes } from './routes.ts';

/**
 * Returns the IPv4 addresses of each interface. The kernel has no file with them, and os.networkInterfaces omits links
 * without a carrier (libuv requires IFF_RUNNING); `silentLinks` names these links. Their addresses are derived from the
 * routing table: a local address that is on no other link belongs to the silent link whose subnet contains it. A /32
 * address on a silent link has no subnet and is not found.
 */
export function readIpv4Addresses(silentLinks: readonly string[], root = ''): Map<string, LinkAddress[]> {
  const found = new Map<string, LinkAddress[]>();
  for (const [label, entries = []] of Object.entries(networkInterfaces())) {
    const addresses = entries
      .filter((entry) => entry.family === 'IPv4')
      .map((entry) => ipv4(entry.address, Number(entry.cidr?.split('/')[1] ?? 32), entry.internal));
    // The name of the interface ends at a colon: an address with a label (`eth0:vip`) is listed under its label
    // (getifaddrs(3)), and interface names contain no colon.
    const name = label.split(':')[0] ?? '';
    found.set(name, [...(found.get(name) ?? []), ...addresses]);
  }
  if (silentLinks.length === 0) return found;
  const shown = new Set([...found.values()].flat().map((entry) => entry.address));
  const hidden = localAddresses(`${root}/proc/net/fib_trie`).filter((address) => !shown.has(address));
  if (hidden.length === 0) return found;
  const subnets = readRoutes(root).filter(
    ({ family, gateway, device }) => family === 4 && gateway === null && silentLinks.includes(device),
  );
  for (const address of hidden) {
    const subnet = subnets.find(({ destination }) => !destination.endsWith('/0') && contains(destination, address));
    if (subnet === undefined) continue;
    const entry = ipv4(address, Number(subnet.destination.split('/')[1]), false);
    found.set(subnet.device, [...(found.get(subnet.device) ?? []), entry]);
  }
  return found;
}

/**
 * Returns the local addresses in /proc/net/fib_trie, except those in 127.0.0.0/8. A local address is in a line such as
 * `|-- 192.0.2.50`, which is followed by the line `/32 host LOCAL`.
 */
function localAddresses(path: string): readonly string[] {
  const text = fileText(path) ?? '';
  const leaves = text.matchAll(/\|-- (\d+\.\d+\.\d+\.\d+)\n((?:\s+\/\d+ .*\n?)+)/g);
  const local = [...leaves].filter(([, , routes = '']) => routes.includes('/32 host LOCAL'));
  return [...new Set(local.map(([, address = '']) => address))].filter((address) => !address.startsWith('127.'));
}

function contains(subnet: string, address: string): boolean {
  const [network = '', prefix = '32'] = subnet.split('/');
  const list = new BlockList();
  list.addSubnet(network, Number(prefix));
  return list.check(address);
}

function ipv4(address: string, prefixLength: number, internal: boolean): LinkAddress {
  return {
    family: 4,
    address,
    prefixLength,
    scope: internal ? 'host' : address.startsWith('169.254.') ? 'link' : 'global',
    tentative: false,
    dadFailed: false,
    temporary: false,
    deprecated: false,
  };
}
