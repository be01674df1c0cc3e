import { familyOf } from './address.ts';
import { parseRange } from './address-range.ts';

/** Returns the Internet checksum (RFC 1071) of an even number of bytes. */
export function internetChecksum(bytes: Buffer): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 2) sum += bytes.readUInt16BE(at);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** Returns an address in the form of a packet: 4 or 16 bytes. */
export function addressBytes(address: string): Buffer {
  const bits = familyOf(address) === 6 ? 128 : 32;
  const value = parseRange(`${address}/${bits}`)?.first ?? 0n;
  return Buffer.from(value.toString(16).padStart(bits / 4, '0'), 'hex');
}
