import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename } from 'node:path';
import type { Link, LinkAddress } from '../../model/observation.ts';

/*
 * Links and addresses as the kernel shows them in /sys/class/net and /proc/net: no process is started, which is what a second run
 * with nothing to do spends its time on otherwise.
 */

/** Flags of linux/if_addr.h as /proc/net/if_inet6 prints them. */
const temporaryFlag = 0x01;
const dadFailedFlag = 0x08;
const deprecatedFlag = 0x20;
const tentativeFlag = 0x40;

/** Every network device with its addresses. */
export function readLinks(root = ''): Link[] {
  const ipv6 = readIpv6Addresses(`${root}/proc/net/if_inet6`);
  const ipv4 = networkInterfaces();
  const directory = `${root}/sys/class/net`;
  return readdirSync(directory)
    .filter((name) => readText(`${directory}/${name}/ifindex`) !== null)
    .map((name) => readLink(directory, name, [...ipv4Addresses(ipv4[name] ?? []), ...(ipv6.get(name) ?? [])]));
}

function readLink(directory: string, name: string, addresses: readonly LinkAddress[]): Link {
  // Most attributes of most devices are absent, and a failed read takes ten times as long as a look.
  const present = new Set(readdirSync(`${directory}/${name}`));
  const path = (attribute: string): string => `${directory}/${name}/${attribute}`;
  const read = (attribute: string): string => readText(path(attribute)) ?? '';
  const flags = Number.parseInt(read('flags'), 16);
  return {
    name,
    index: Number(read('ifindex')),
    mac: read('address'),
    permanentMac: null,
    mtuBytes: Number(read('mtu')),
    up: (flags & 1) === 1,
    carrier: read('carrier') === '1',
    hardwareType: Number(read('type')),
    kind: present.has('tun_flags') ? 'tun' : (/^DEVTYPE=(.*)$/m.exec(read('uevent'))?.[1] ?? null),
    driver: present.has('device') ? linkName(path('device/driver')) : null,
    master: present.has('master') ? linkName(path('master')) : null,
    addresses,
  };
}

function ipv4Addresses(entries: NonNullable<ReturnType<typeof networkInterfaces>[string]>): LinkAddress[] {
  return entries
    .filter((entry) => entry.family === 'IPv4')
    .map((entry) => ({
      family: 4,
      address: entry.address,
      prefixLength: Number(entry.cidr?.split('/')[1] ?? 32),
      scope: entry.internal ? 'host' : entry.address.startsWith('169.254.') ? 'link' : 'global',
      tentative: false,
      dadFailed: false,
      temporary: false,
      deprecated: false,
    }));
}

/** /proc/net/if_inet6: address, index, prefix length, scope, flags, name; all but the name in hex (Linux net/ipv6/addrconf.c). */
function readIpv6Addresses(path: string): Map<string, LinkAddress[]> {
  const found = new Map<string, LinkAddress[]>();
  for (const line of (readText(path) ?? '').split('\n')) {
    const [hex = '', , prefix = '', scope = '', flags = '', name = ''] = line.trim().split(/\s+/);
    if (name === '') continue;
    const bits = Number.parseInt(flags, 16);
    const entry: LinkAddress = {
      family: 6,
      address: compressIpv6(hex),
      prefixLength: Number.parseInt(prefix, 16),
      scope: scope === '20' ? 'link' : scope === '10' ? 'host' : 'global',
      tentative: (bits & tentativeFlag) !== 0,
      dadFailed: (bits & dadFailedFlag) !== 0,
      temporary: (bits & temporaryFlag) !== 0,
      deprecated: (bits & deprecatedFlag) !== 0,
    };
    found.set(name, [...(found.get(name) ?? []), entry]);
  }
  return found;
}

/** 32 hex digits → the canonical text form (RFC 5952 section 4). */
export function compressIpv6(hex: string): string {
  const groups = (hex.match(/.{4}/g) ?? []).map((group) => Number.parseInt(group, 16).toString(16));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let length = 0;
    while (groups[start + length] === '0') length += 1;
    if (length > best.length) best = { start, length };
  }
  if (best.start < 0) return groups.join(':');
  return `${groups.slice(0, best.start).join(':')}::${groups.slice(best.start + best.length).join(':')}`;
}

function linkName(path: string): string | null {
  try {
    return basename(readlinkSync(path));
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trimEnd();
  } catch {
    return null;
  }
}
