import type { TracePacket } from '../model/overlay-trace.ts';
import { familyOf } from '../net/address.ts';
import { isIpv6 } from '../overlay/addresses.ts';

/** Source port of the packet, a dynamic port at which no service listens (RFC 6335, section 6). */
export const clientPort = 49_152;

/** Returns a packet as an expression of OVN (ovn-sb(5), Logical_Flow match) at a port of a switch or router. */
export function microflow(inPort: string, packet: TracePacket): string {
  const six = isIpv6(packet.source);
  const ip = six ? 'ip6' : 'ip4';
  const icmp = six ? 'icmp6' : 'icmp4';
  const { protocol } = packet;
  return [
    `inport == ${JSON.stringify(inPort)}`,
    `eth.src == ${packet.ethSource}`,
    `eth.dst == ${packet.ethDestination}`,
    `${ip}.src == ${packet.source}`,
    `${ip}.dst == ${packet.destination}`,
    `ip.ttl == ${packet.ttl}`,
    ...(protocol === 'icmp'
      ? [`${icmp}.type == ${echoType(packet)}`, `${icmp}.code == 0`]
      : [`${protocol}.src == ${packet.sourcePort}`, `${protocol}.dst == ${packet.destinationPort}`]),
  ].join(' && ');
}

/** Keys in the header of a tunnel from which a packet comes. */
export interface TunnelKeys {
  readonly tunId: number;
  readonly metadata: number | null;
}

/**
 * Returns a packet as a flow of Open vSwitch (ovs-fields(7)) at a port of a bridge; with keys, a packet from a tunnel.
 */
export function openFlow(inPort: string, packet: TracePacket, keys: TunnelKeys | null): string {
  const six = isIpv6(packet.source);
  const { protocol } = packet;
  const metadata = keys?.metadata ?? null;
  return [
    six ? `${protocol}6` : protocol,
    `in_port=${inPort}`,
    ...(keys === null ? [] : [`tun_id=${keys.tunId}`]),
    ...(metadata === null ? [] : [`tun_metadata0=0x${metadata.toString(16)}`]),
    `dl_src=${packet.ethSource}`,
    `dl_dst=${packet.ethDestination}`,
    `${six ? 'ipv6' : 'nw'}_src=${packet.source}`,
    `${six ? 'ipv6' : 'nw'}_dst=${packet.destination}`,
    `nw_ttl=${packet.ttl}`,
    ...(protocol === 'icmp'
      ? [`${six ? 'icmpv6' : 'icmp'}_type=${echoType(packet)}`, `${six ? 'icmpv6' : 'icmp'}_code=0`]
      : [`${protocol}_src=${packet.sourcePort}`, `${protocol}_dst=${packet.destinationPort}`]),
  ].join(',');
}

/** Returns the ICMP type of an echo request or reply (RFC 792; RFC 4443, section 4). */
function echoType({ source, isReply }: TracePacket): number {
  if (isIpv6(source)) return isReply ? 129 : 128;
  return isReply ? 0 : 8;
}

/** Returns an endpoint such as `10.42.0.3:80` or `[fd01::3]:80`; without a port, only the address. */
export function endpoint(address: string, port: number | null): string {
  if (port === null) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Returns true for the text of an address, with or without a port. */
export function isEndpoint(text: string): boolean {
  return familyOf(parts(text).address) !== null;
}

/** Returns true for the text of an address with a port. */
export function hasPort(text: string): boolean {
  return parts(text).port !== null;
}

function parts(text: string): { readonly address: string; readonly port: number | null } {
  const [, six, four, port] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(text) ?? [];
  const address = six ?? four;
  return address === undefined ? { address: text, port: null } : { address, port: Number(port) };
}

/** Returns the packet with another source. */
export function withSource(packet: TracePacket, to: string): TracePacket {
  const { address, port } = parts(to);
  return { ...packet, source: address, sourcePort: port ?? packet.sourcePort };
}

/** Returns the packet with another destination. */
export function withDestination(packet: TracePacket, to: string): TracePacket {
  const { address, port } = parts(to);
  return { ...packet, destination: address, destinationPort: port ?? packet.destinationPort };
}
