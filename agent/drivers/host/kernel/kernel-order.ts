import type { KernelAddress } from '../../../model/kernel-entries.ts';

/*
 * Order of an interface's addresses in the kernel. The order decides which source address the kernel selects if no
 * other rule does (RFC 6724 section 5), and which address a program finds that reads only the first one. The kernel
 * appends a new IPv4 address (Linux, net/ipv4/devinet.c, __inet_insert_ifa), and inserts a new IPv6 address before the
 * others of its scope (net/ipv6/addrconf.c, ipv6_link_dev_addr).
 */

const isIpv6 = ({ address }: KernelAddress): boolean => address.includes(':');

/** Returns the order in which addresses have to be added so that the kernel lists them in the given order. */
export function inOrderOfAdding(listed: readonly KernelAddress[]): readonly KernelAddress[] {
  return [...listed.filter((entry) => !isIpv6(entry)), ...listed.filter(isIpv6).reverse()];
}

/**
 * Returns the addresses of `listed` that have to be removed before all of `listed` are added. Without the removal, the
 * kernel would keep them in a wrong position: IPv4 addresses before the last of the node's own addresses, and IPv6
 * addresses that are not in the original order. `present` are the current addresses of the interface (`address/prefix`)
 * of both families, in the kernel's order.
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
  // The kernel inserts a new IPv6 address before the present ones. The present addresses can therefore stay only if the
  // wanted list ends with them, in the same order.
  const isInOrder = present6.every((address, index) => address === wanted[wanted.length - present6.length + index]);
  return [...early, ...(isInOrder ? [] : ahead.filter((address) => present6.includes(address)))];
}
