import { familyOf } from './address.ts';
import { addressBytes, internetChecksum } from './packet-bytes.ts';

/** One end of a TCP connection. */
export interface TcpEnd {
  readonly address: string;
  readonly port: number;
}

/** Flags of RFC 9293 section 3.1. */
const flagBits = { syn: 0x02, rst: 0x04 };
/** Protocol number of TCP, and EtherTypes of IPv4 and IPv6 (IANA). */
const tcp = 6;
const etherType = { ipv4: 0x0800, ipv6: 0x86dd };

/**
 * Returns an Ethernet frame, as hex, with a TCP segment that has one flag and no data. `syn` requests a connection.
 * `rst` resets a connection, and its sequence number has to be the one after that of the `syn`. Both ends are of one
 * family.
 */
export function tcpFrame(mac: string, from: TcpEnd, to: TcpEnd, flag: keyof typeof flagBits, sequence: number): string {
  const isV6 = familyOf(to.address) === 6;
  const [source, destination] = [addressBytes(from.address), addressBytes(to.address)];
  const segment = Buffer.alloc(20);
  segment.writeUInt16BE(from.port, 0);
  segment.writeUInt16BE(to.port, 2);
  segment.writeUInt32BE(sequence, 4);
  segment.writeUInt8(5 << 4, 12);
  segment.writeUInt8(flagBits[flag], 13);
  segment.writeUInt16BE(65_535, 14);
  // The checksum of TCP also covers addresses, length and protocol (RFC 9293 section 3.1 and RFC 8200 section 8.1).
  const pseudo = Buffer.concat([source, destination, Buffer.from([0, tcp, 0, segment.length])]);
  segment.writeUInt16BE(internetChecksum(Buffer.concat([pseudo, segment])), 16);
  // The source MAC is a locally administered one (IEEE 802), which no vendor assigns.
  const ethernet = Buffer.from(`${mac.replaceAll(':', '')}020000000001`, 'hex');
  const type = Buffer.alloc(2);
  type.writeUInt16BE(isV6 ? etherType.ipv6 : etherType.ipv4, 0);
  const header = isV6 ? ipv6Header(segment.length) : ipv4Header(segment.length, source, destination);
  const addresses = isV6 ? [source, destination] : [];
  return Buffer.concat([ethernet, type, header, ...addresses, segment]).toString('hex');
}

/** Returns an IPv4 header (RFC 791 section 3.1). */
function ipv4Header(length: number, source: Buffer, destination: Buffer): Buffer {
  const header = Buffer.from([0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, tcp, 0, 0]);
  header.writeUInt16BE(20 + length, 2);
  const whole = Buffer.concat([header, source, destination]);
  whole.writeUInt16BE(internetChecksum(whole), 10);
  return whole;
}

/** Returns an IPv6 header without the addresses (RFC 8200 section 3). */
function ipv6Header(length: number): Buffer {
  const header = Buffer.from([0x60, 0, 0, 0, 0, 0, tcp, 64]);
  header.writeUInt16BE(length, 4);
  return header;
}
