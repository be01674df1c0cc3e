import type { Link, LinkAddress } from '../../../model/observation.ts';
import { signpost } from '../../../model/signpost.ts';
import { compressIpv6 } from '../../../net/address.ts';
import { fileText, namesIn, targetName } from '../files/kernel-files.ts';
import { parseBond } from './bond.ts';
import { readIpv4Addresses } from './ipv4-addresses.ts';

/*
 * Reads links and addresses from /sys/class/net and /proc/net. Starts no process, because that would take most of the
 * time of a run that changes nothing.
 */

/** Flags of linux/if.h as /sys/class/net/NAME/flags prints them. */
const upFlag = 0x001;
const promiscuousFlag = 0x100;

/** Flags of linux/if_addr.h as /proc/net/if_inet6 prints them. */
const temporaryFlag = 0x01;
const dadFailedFlag = 0x08;
const deprecatedFlag = 0x20;
const tentativeFlag = 0x40;

/**
 * Returns every network device with its addresses, except for the agent's own device that carries no traffic
 * (model/signpost.ts).
 */
export function readLinks(root = ''): Link[] {
  const directory = `${root}/sys/class/net`;
  const names = namesIn(directory).filter((name) => name !== signpost.device);
  const links = names.flatMap((name) => readLink(root, directory, name) ?? []);
  const silent = links.filter((link) => link.up && !link.carrier).map((link) => link.name);
  const ipv4 = readIpv4Addresses(silent, root);
  const ipv6 = readIpv6Addresses(`${root}/proc/net/if_inet6`);
  return links.map((link) => ({
    ...link,
    addresses: [...(ipv4.get(link.name) ?? []), ...(ipv6.get(link.name) ?? [])],
  }));
}

/**
 * Returns a link; null if the name is not a device (such as the file bonding_masters), or if the device was removed
 * during the read.
 */
function readLink(root: string, directory: string, name: string): Omit<Link, 'addresses'> | null {
  // Most attributes of most devices are absent, and a failed read takes ten times as long as a check for existence.
  const present = new Set(namesIn(`${directory}/${name}`));
  const path = (attribute: string): string => `${directory}/${name}/${attribute}`;
  const read = (attribute: string): string => fileText(path(attribute)) ?? '';
  const flags = Number.parseInt(read('flags'), 16);
  const link = {
    name,
    mac: read('address'),
    permanentMac: null,
    mtuBytes: Number(read('mtu')),
    up: (flags & upFlag) !== 0,
    carrier: read('carrier') === '1',
    hardwareType: Number(read('type')),
    driver: present.has('device') ? targetName(path('device/driver')) : null,
    master: present.has('master') ? targetName(path('master')) : null,
  };
  const uppers = [...present]
    .flatMap((entry) => /^upper_(.+)$/.exec(entry)?.[1] ?? [])
    .filter((upper) => upper !== link.master);
  const parentIndex = Number(read('iflink'));
  // The file uevent is read last, because it is missing if the device was removed during the read. Without this file,
  // the index is 0, which no device has.
  const uevent = read('uevent');
  const index = Number(/^IFINDEX=(.*)$/m.exec(uevent)?.[1] ?? 0);
  const kind = present.has('tun_flags') ? 'tun' : (/^DEVTYPE=(.*)$/m.exec(uevent)?.[1] ?? null);
  if (index === 0) return null;
  return {
    ...link,
    kind,
    index,
    ...((flags & promiscuousFlag) !== 0 && { promiscuous: true as const }),
    ...(uppers.length > 0 && { uppers }),
    ...(parentIndex !== 0 && parentIndex !== index && { parentIndex }),
    ...(kind === 'bond' && bondFact(fileText(`${root}/proc/net/bonding/${name}`))),
  };
}

/**
 * Returns the state of a bond; an empty object if the driver shows no state, as happens right before the bond is
 * removed.
 */
function bondFact(text: string | null): Pick<Link, 'bond'> {
  const bond = text === null ? null : parseBond(text);
  return bond === null ? {} : { bond };
}

/**
 * Reads /proc/net/if_inet6: address, index, prefix length, scope, flags, name; all but the name in hex (Linux
 * net/ipv6/addrconf.c).
 */
function readIpv6Addresses(path: string): Map<string, LinkAddress[]> {
  const found = new Map<string, LinkAddress[]>();
  for (const line of (fileText(path) ?? '').split('\n')) {
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
