import type { Listener, OverlayChassis } from '../../model/overlay.ts';
import { canonicalAddress, familyOf } from '../../net/address.ts';

/*
 * A member announces the listening sockets of its processes in `ovn-cms-options` of its own chassis, beside its
 * gateway. It announces only sockets at ports at which services may be served. The central node then plans no service
 * at these ports, so that packets from pods reach the processes as well. An announcement counts only at the addresses
 * of its member.
 */
const prefix = 'microshift-net-listens:';
/**
 * Largest number of listeners that a node announces and the central node reads. A node usually has fewer processes that
 * listen in the NodePort range. Further listeners are known only to the node itself, which keeps services away from
 * their ports.
 */
const mostEntries = 64;

/** Returns true for an entry of `ovn-cms-options` that announces a listener. */
export function isListenerEntry(entry: string): boolean {
  return entry.startsWith(prefix);
}

/**
 * Returns the entries by which a node announces its listeners: `microshift-net-listens:tcp/443`, or
 * `microshift-net-listens:tcp/443@192.0.2.11` for a process that listens at one address only.
 */
export function listenerEntries(listeners: readonly Listener[]): readonly string[] {
  return listeners
    .slice(0, mostEntries)
    .map(({ protocol, port, address }) => `${prefix}${protocol}/${port}${address === null ? '' : `@${address}`}`);
}

/**
 * Reads the listeners that a chassis announces. Malformed entries are left out: they concern only the chassis itself
 * and harm no other node.
 */
export function announcedListeners({ cmsOptions = '' }: Pick<OverlayChassis, 'cmsOptions'>): readonly Listener[] {
  const entries = cmsOptions.split(',').filter(isListenerEntry).slice(0, mostEntries);
  return entries.flatMap((entry): Listener[] => {
    const [, protocol, digits, address] =
      /^(tcp|udp|sctp)\/([1-9][0-9]{0,4})(?:@([0-9A-Fa-f.:]{2,39}))?$/.exec(entry.slice(prefix.length)) ?? [];
    const port = Number(digits);
    if (protocol === undefined || port > 65_535 || (address !== undefined && familyOf(address) === null)) return [];
    return [
      {
        protocol: protocol as Listener['protocol'],
        port,
        address: address === undefined ? null : canonicalAddress(address),
      },
    ];
  });
}
