import { familyOf } from './address.ts';
import { addressBytes, internetChecksum } from './packet-bytes.ts';

/** EtherTypes of ARP, IPv6 and 802.1Q, and protocol number of ICMPv6 (IANA). */
const etherType = { arp: '0806', ipv6: '86dd', vlan: '8100' };
const icmp6 = 58;

/** All-nodes group ff02::1 (RFC 4291 section 2.7.1), and its MAC (RFC 2464 section 7). */
const allNodes = { address: 'ff02::1', mac: '333300000001' };

/**
 * Returns an Ethernet frame, as hex, by which all hosts of a LAN learn that an address has this MAC now: an ARP
 * announcement (RFC 5227 section 3), or an unsolicited neighbour advertisement (RFC 4861 section 7.2.6). `vlan` is the
 * ID in its 802.1Q tag; null if the frame has no tag.
 */
export function neighbourAnnouncement(address: string, mac: string, vlan: number | null): string {
  const own = mac.replaceAll(':', '');
  const tag = vlan === null ? '' : `${etherType.vlan}${vlan.toString(16).padStart(4, '0')}`;
  return familyOf(address) === 6
    ? `${allNodes.mac}${own}${tag}${etherType.ipv6}${advertisement(address, own)}`
    : `ffffffffffff${own}${tag}${etherType.arp}${announcement(address, own)}`;
}

/** Returns an ARP request in which the sender asks for its own address (RFC 826). */
function announcement(address: string, mac: string): string {
  const own = addressBytes(address).toString('hex');
  return `0001080006040001${mac}${own}000000000000${own}`;
}

/**
 * Returns a neighbour advertisement (RFC 4861 section 4.4) with the Override flag and the Target Link-Layer Address
 * option, in an IPv6 packet (RFC 8200) with the largest hop limit.
 */
function advertisement(address: string, mac: string): string {
  const [source, group] = [addressBytes(address), addressBytes(allNodes.address)];
  const message = Buffer.concat([Buffer.from('8800000020000000', 'hex'), source, Buffer.from(`0201${mac}`, 'hex')]);
  const pseudo = Buffer.concat([source, group, Buffer.from([0, 0, 0, message.length, 0, 0, 0, icmp6])]);
  message.writeUInt16BE(internetChecksum(Buffer.concat([pseudo, message])), 2);
  const header = Buffer.from([0x60, 0, 0, 0, 0, message.length, icmp6, 255]);
  return Buffer.concat([header, source, group, message]).toString('hex');
}
