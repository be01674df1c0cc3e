import type { Listener, OverlayNode, PortRange } from '../model/overlay.ts';
import { withoutLength } from './addresses.ts';

/**
 * Ports that a node needs, even if no process listens there now: SSH; etcd and the API server (kubernetes.io, "Ports
 * and Protocols"); the kubelet; OVN's databases (ovn-ctl(8)); tunnels (IANA: geneve, vxlan) and the key exchange of
 * IPsec (RFC 7296, RFC 3948).
 */
const needed: Readonly<Record<Listener['protocol'], readonly number[]>> = {
  tcp: [22, 2379, 2380, 6443, 6641, 6642, 6643, 6644, 10250],
  udp: [500, 4500, 4789, 6081],
  sctp: [],
};

/**
 * Ranges of addresses with a special meaning on every host: the host itself, link-local, multicast and reserved (RFC
 * 6890). No service is served at them.
 */
export const unservableRanges: readonly string[] = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/127',
  'fe80::/10',
  'ff00::/8',
];

/** Returns true for a port that the node needs, whatever the configuration says. */
export function isNeeded(protocol: Listener['protocol'], port: number): boolean {
  return needed[protocol].includes(port);
}

/**
 * Returns true for a port at which services may be served at a node's own address, as long as no process of the node
 * listens there.
 */
export function isForServices(ranges: readonly PortRange[], protocol: Listener['protocol'], port: number): boolean {
  return !isNeeded(protocol, port) && ranges.some(({ first, last }) => first <= port && port <= last);
}

/** Returns true if one of these listeners accepts packets to an address and port of its node. */
export function isListening(
  listeners: readonly Listener[],
  { protocol, address, port }: Listener & { readonly address: string },
): boolean {
  return listeners.some(
    (one) => one.protocol === protocol && one.port === port && (one.address === null || one.address === address),
  );
}

/**
 * Returns a node's own addresses, and the addresses of its tunnels and of its gateway, each once. Further addresses of
 * the node are not included.
 */
export function nodeAddresses({
  hostAddresses,
  encap,
  gateway,
}: Pick<OverlayNode, 'hostAddresses' | 'encap' | 'gateway'>): readonly string[] {
  return [...new Set([...hostAddresses, ...encap.addresses, ...(gateway?.addresses ?? []).map(withoutLength)])];
}
