import type { KernelAddress } from '../../model/kernel-entries.ts';

/*
 * The kernel lists the addresses of an interface in an order that counts: which it takes as a source where nothing else decides (RFC 6724 section
 * 5), and which a program takes that asks for the first. It puts a new IPv4 address last (Linux, net/ipv4/devinet.c, __inet_insert_ifa), and a
 * new IPv6 address before the others of its scope (net/ipv6/addrconf.c, ipv6_link_dev_addr).
 */

const isIpv6 = ({ address }: KernelAddress): boolean => address.includes(':');

/** Addresses as they were listed, in the order in which they have to be added to be listed so again. */
export function inOrderOfAdding(listed: readonly KernelAddress[]): readonly KernelAddress[] {
  return [...listed.filter((entry) => !isIpv6(entry)), ...listed.filter(isIpv6).reverse()];
}

/**
 * Which addresses have to go before they are added, so that all are listed as they were: IPv4 addresses that are before one of the node's own, and
 * IPv6 addresses that are not yet where they were. `present`: addresses of the interface (`address/prefix`) as they are listed now, of both families.
 */
export function goFirst(listed: readonly KernelAddress[], present: readonly string[]): readonly string[] {
  const given = listed.map(({ address }) => address);
  const [present4, present6] = [
    present.filter((one) => !one.includes(':')),
    present.filter((one) => one.includes(':')),
  ];
  const lastOwn = present4.findLastIndex((address) => !given.includes(address));
  const early = present4.slice(0, Math.max(0, lastOwn)).filter((address) => given.includes(address));
  const ipv6 = listed.filter(isIpv6);
  const ahead = ipv6.filter(({ behindOwn }) => behindOwn !== true).map(({ address }) => address);
  const behind = ipv6.map(({ address }) => address).filter((address) => !ahead.includes(address));
  const wanted = [...ahead, ...present6.filter((address) => !given.includes(address)), ...behind];
  // What is missing goes to the front, which is right where everything else is at the end in its order.
  const isInOrder = present6.every((address, index) => address === wanted[wanted.length - present6.length + index]);
  return [...early, ...(isInOrder ? [] : ahead.filter((address) => present6.includes(address)))];
}
