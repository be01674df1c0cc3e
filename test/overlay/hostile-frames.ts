// Frames of a hostile pod, byte by byte. The pod's port must not forward some of them. It may forward the others, which
// must not harm the hosts that receive them.
import { ipv6Value } from '../../agent/net/address.ts';

/**
 * Text in the payload of each frame, by which it is recognized wherever it arrives; two bytes with the frame's number
 * follow.
 */
export const marker = Buffer.from('mallory:');

/**
 * An interface with its addresses of both families; `linkLocal` is the one that the kernel makes of the MAC (RFC 4291,
 * appendix A).
 */
export interface Party {
  readonly mac: string;
  readonly address: string;
  readonly address6: string;
  readonly linkLocal: string;
}

/** Interfaces that a hostile pod knows: its own, and every interface that it can impersonate or address. */
export interface Neighbourhood {
  readonly own: Party;
  /** Router of the pod's switch. */
  readonly router: Party;
  /** Pods, management ports and hosts of the LAN. */
  readonly others: readonly Party[];
  /** Addresses of nodes, at which tunnels end. */
  readonly nodes: readonly string[];
  readonly nodes6: readonly string[];
}

export interface HostileFrame {
  readonly title: string;
  /** True if the frame must reach no other interface at all. */
  readonly isForged: boolean;
  readonly bytes: Buffer;
}

type Random = (limit: number) => number;

const broadcast = 'ff:ff:ff:ff:ff:ff';
const types = { ip: 0x0800, arp: 0x0806, vlan: 0x8100, qinq: 0x88a8, ip6: 0x86dd } as const;
const protocols = { icmp: 1, igmp: 2, tcp: 6, udp: 17, icmp6: 58 } as const;

/** Returns the frame with this number; the same seed gives the same frame. */
export function hostileFrame(at: Neighbourhood, number: number, random: Random): HostileFrame {
  const mark = Buffer.concat([marker, word(number)]);
  const make = pick(random, makers);
  return make({ at, mark, random, pick: (list) => pick(random, list) });
}

interface Making {
  readonly at: Neighbourhood;
  readonly mark: Buffer;
  readonly random: Random;
  pick<T>(list: readonly T[]): T;
}

/** Returns a datagram of the pod itself, which is allowed to arrive. */
export function honestDatagram(at: Neighbourhood, to: { mac: string; address: string }, number: number): Buffer {
  const payload = Buffer.concat([marker, word(number)]);
  return ethernet(
    to.mac,
    at.own.mac,
    types.ip,
    ipv4(at.own.address, to.address, protocols.udp, udp(4_000, 53, payload)),
  );
}

const makers: readonly ((making: Making) => HostileFrame)[] = [
  // Frames with the MAC of another interface, or with an unused MAC.
  ({ at, mark, random, pick: one }) => {
    const claimed = one([...at.others, at.router]);
    const to = one([...at.others, at.router]);
    const mac = one([claimed.mac, broadcast, '00:00:00:00:00:00', `02:${hexBytes(random, 5)}`]);
    const packet = ipv4(one([at.own.address, claimed.address]), to.address, protocols.udp, udp(1_000, 53, mark));
    return frame(`MAC ${mac} as the source`, true, ethernet(one([to.mac, broadcast]), mac, types.ip, packet));
  },
  // Packets with the address of another interface.
  ({ at, mark, pick: one }) => {
    const odd = ['127.0.0.1', '0.0.0.0', '255.255.255.255', '224.0.0.1', '169.254.169.2', '10.43.0.1', '100.64.0.2'];
    const from = one([...at.others.map(({ address }) => address), at.router.address, ...at.nodes, ...odd]);
    const to = one([...at.others, at.router]);
    const packet = ipv4(from, to.address, protocols.udp, udp(1_000, 53, mark));
    return frame(
      `${from} as the source`,
      true,
      ethernet(one([to.mac, at.router.mac, broadcast]), at.own.mac, types.ip, packet),
    );
  },
  ({ at, mark, pick: one }) => {
    const from = one([
      ...at.others.flatMap(sixes),
      at.router.address6,
      at.router.linkLocal,
      '::1',
      'ff02::1',
      'fd02::1',
    ]);
    const to = one([...at.others, at.router]);
    const packet = ipv6(from, to.address6, protocols.udp, checksummed(from, to.address6, udp(1_000, 53, mark)));
    return frame(`${from} as the source`, true, ethernet(one([to.mac, at.router.mac]), at.own.mac, types.ip6, packet));
  },
  // ARP frames (RFC 826): requests, answers and announcements that bind an address of another interface, or bind the
  // pod's address to another MAC.
  ({ at, mark, pick: one }) => {
    const claimed = one([...at.others, at.router]);
    const to = one([...at.others, at.router]);
    const [sender, mac] = one([
      [claimed.address, at.own.mac],
      [claimed.address, claimed.mac],
      [at.own.address, claimed.mac],
    ] as const);
    const target = one([claimed.address, to.address]);
    const body = arp(one([1, 2]), mac, sender, to.mac, target);
    const bytes = ethernet(one([broadcast, to.mac]), at.own.mac, types.arp, Buffer.concat([body, mark]));
    return frame(`ARP: ${sender} is at ${mac}`, true, bytes);
  },
  // Neighbour discovery (RFC 4861) with the same contents as the ARP frames.
  ({ at, mark, pick: one }) => {
    const claimed = one([...at.others, at.router]);
    const to = one([...at.others, at.router]);
    const [target, mac] = one([
      [one(sixes(claimed)), at.own.mac],
      [one(sixes(claimed)), claimed.mac],
      [at.own.address6, claimed.mac],
    ] as const);
    const [destination, dstMac] = one([
      ['ff02::1', '33:33:00:00:00:01'],
      [to.address6, to.mac],
    ] as const);
    const message = Buffer.concat([
      bytesOf('88000000'),
      bytesOf('e0000000'),
      six(target),
      bytesOf('0201'),
      macBytes(mac),
    ]);
    const from = one([at.own.linkLocal, at.own.address6, target]);
    const body = Buffer.concat([checksummed(from, destination, message, protocols.icmp6), mark]);
    const packet = ipv6(from, destination, protocols.icmp6, body, 255, message.length);
    return frame(`ND: ${target} is at ${mac}`, true, ethernet(dstMac, at.own.mac, types.ip6, packet));
  },
  // Frames with tags of VLANs (IEEE 802.1Q, 802.1ad), a tag of priority included.
  ({ at, mark, random, pick: one }) => {
    const to = one([...at.others, at.router]);
    const inner = ipv4(at.own.address, to.address, protocols.udp, udp(1_000, 53, mark));
    const tag = (type: number): Buffer => Buffer.concat([word(one([0, 1, random(4_095)])), word(type)]);
    const tags = one([[types.ip], [types.vlan, types.ip]]).map(tag);
    const bytes = ethernet(to.mac, at.own.mac, one([types.vlan, types.qinq]), Buffer.concat([...tags, inner]));
    return frame('a VLAN tag', true, bytes);
  },
  // Tunnel packets to the nodes (RFC 8926, RFC 7348), which contain a frame of another pod.
  ({ at, mark, random, pick: one }) => {
    const [claimed, to] = [one(at.others), one(at.others)];
    const inside = ethernet(
      to.mac,
      claimed.mac,
      types.ip,
      ipv4(claimed.address, to.address, protocols.udp, udp(1_000, 53, mark)),
    );
    const isSix = one([true, false]);
    const header = one([
      [
        6081,
        Buffer.concat([
          bytesOf('02400000'),
          threeBytes(random),
          bytesOf('00010280'),
          bytesOf('0001'),
          word(1),
          word(2),
        ]),
      ],
      [4789, Buffer.concat([bytesOf('08000000'), threeBytes(random), bytesOf('00')])],
    ] as const);
    const load = udp(40_000, header[0], Buffer.concat([header[1], inside]));
    const node = isSix ? one(at.nodes6) : one(at.nodes);
    const packet = isSix
      ? ipv6(at.own.address6, node, protocols.udp, checksummed(at.own.address6, node, load))
      : ipv4(at.own.address, node, protocols.udp, load, one([0, 0x2000]));
    const type = isSix ? types.ip6 : types.ip;
    return frame(`a tunnel packet to ${node}`, true, ethernet(at.router.mac, at.own.mac, type, packet));
  },
  // Fragments (RFC 791): later fragments without a first one, overlapping ones, and ones that end beyond 65,535 bytes.
  ({ at, mark, random, pick: one }) => {
    const to = one([...at.others, at.router]);
    const offset = one([1, 2, 185, 8_191, random(8_192)]) | one([0, 0x2000]);
    const load = Buffer.concat([udp(1_000, 53, mark), Buffer.alloc(8 - (mark.length % 8))]);
    const packet = ipv4(at.own.address, to.address, one([protocols.udp, protocols.tcp]), load, offset);
    return frame('a fragment', false, ethernet(one([to.mac, at.router.mac]), at.own.mac, types.ip, packet));
  },
  // Router advertisements (RFC 4861) with a route, a prefix and an MTU. OVN lets them pass, because their source is the
  // pod's own.
  ({ at, mark, pick: one }) => {
    const prefix = Buffer.concat([bytesOf('030440c0'), bytesOf('ffffffffffffffff00000000'), six('2001:db8:bad::')]);
    const mtu = bytesOf('0501000000000500');
    const message = Buffer.concat([bytesOf('86000000'), bytesOf('4008ffff'), Buffer.alloc(8), prefix, mtu]);
    const to = one(at.others);
    const [destination, mac] = one([
      ['ff02::1', '33:33:00:00:00:01'],
      [to.linkLocal, to.mac],
    ] as const);
    const body = Buffer.concat([checksummed(at.own.linkLocal, destination, message, protocols.icmp6), mark]);
    const packet = ipv6(at.own.linkLocal, destination, protocols.icmp6, body, 255, message.length);
    return frame('a router advertisement', false, ethernet(mac, at.own.mac, types.ip6, packet));
  },
  // Redirects (RFC 792, RFC 4861) from the pod's own address.
  ({ at, mark, pick: one }) => {
    const to = one([...at.others, at.router]);
    const quoted = ipv4(to.address, '198.51.100.1', protocols.udp, udp(53, 53, mark));
    const message = Buffer.concat([bytesOf('05010000'), four(at.own.address), quoted]);
    message.writeUInt16BE(sumOf(message), 2);
    const packet = ipv4(at.own.address, to.address, protocols.icmp, message);
    return frame('a redirect', false, ethernet(one([to.mac, at.router.mac]), at.own.mac, types.ip, packet));
  },
  // DHCP (RFC 2131): a server's offer and a client's question.
  ({ at, mark, pick: one }) => {
    const isOffer = one([true, false]);
    const body = Buffer.concat([
      bytesOf(isOffer ? '02010600' : '01010600'),
      Buffer.alloc(232),
      bytesOf('63825363350102ff'),
      mark,
    ]);
    const [from, source, port] = isOffer ? [at.own.address, 67, 68] : ['0.0.0.0', 68, 67];
    const packet = ipv4(from, '255.255.255.255', protocols.udp, udp(source, port, body));
    return frame('DHCP', false, ethernet(broadcast, at.own.mac, types.ip, packet));
  },
  // IGMP and MLD (RFC 3376, RFC 2710): queries and reports of groups, those of routing protocols included.
  ({ at, mark, pick: one }) => {
    const group = one(['224.0.0.1', '224.0.0.5', '224.0.0.18', '239.1.2.3']);
    const message = Buffer.concat([bytesOf(one(['11', '16', '17'])), bytesOf('000000'), four(group), mark]);
    message.writeUInt16BE(sumOf(message), 2);
    const packet = ipv4(at.own.address, group, protocols.igmp, message);
    return frame(`IGMP about ${group}`, false, ethernet(`01:00:5e:00:00:01`, at.own.mac, types.ip, packet));
  },
  ({ at, mark, pick: one }) => {
    const group = one(['ff02::1', 'ff02::2', 'ff02::5', 'ff02::1:2', 'ff0e::1:3']);
    const message = Buffer.concat([bytesOf(one(['82', '83', '84'])), bytesOf('00000000000000'), six(group), mark]);
    const packet = ipv6(at.own.linkLocal, group, protocols.icmp6, checksummed(at.own.linkLocal, group, message, 58), 1);
    return frame(`MLD about ${group}`, false, ethernet('33:33:00:00:00:01', at.own.mac, types.ip6, packet));
  },
  // Packets with the pod's own source to every address of the nodes, and to unassigned addresses.
  ({ at, mark, random, pick: one }) => {
    const odd = ['127.0.0.1', '0.0.0.0', '169.254.169.1', '169.254.169.2', '255.255.255.255', '10.42.255.255'];
    const to = one([...at.nodes, ...at.others.map(({ address }) => address), ...odd]);
    const port = one([22, 6641, 6642, 6443, 10250, random(65_536)]);
    const load = one([udp(random(65_536), port, mark), tcp(random(65_536), port, random(64), mark)]);
    const packet = ipv4(at.own.address, to, one([protocols.udp, protocols.tcp]), load, 0, one([1, 64, 255]));
    return frame(`${to} as the destination`, false, ethernet(at.router.mac, at.own.mac, types.ip, packet));
  },
  // Frames that are cut off, that contradict their own lengths, or that are longer than the MTU.
  ({ at, mark, random, pick: one }) => {
    const to = one([...at.others, at.router]);
    const whole = one([
      ethernet(to.mac, at.own.mac, types.ip, ipv4(at.own.address, to.address, protocols.tcp, tcp(1, 22, 2, mark))),
      ethernet(to.mac, at.own.mac, types.arp, arp(1, at.own.mac, at.own.address, to.mac, to.address)),
      ethernet(to.mac, at.own.mac, types.ip6, ipv6(at.own.address6, to.address6, protocols.udp, udp(1, 53, mark))),
    ]);
    const shape = random(4);
    if (shape === 0) return frame('a runt', false, whole.subarray(0, 14 + random(whole.length - 14)));
    if (shape === 1) return frame('a giant', false, Buffer.concat([whole, Buffer.alloc(2_000 + random(6_000), 0x61)]));
    const damaged = Buffer.from(whole);
    for (let count = 0; count < 3; count += 1) damaged[14 + random(damaged.length - 14)] = random(256);
    // The frame does not count as forged: its damaged header may name any source, and a switch forwards frames with
    // damaged checksums.
    return frame('a damaged frame', false, damaged);
  },
  // EtherTypes that no interface here uses, and those of bridges and of neighbour discovery.
  ({ at, mark, random, pick: one }) => {
    const to = one([broadcast, '01:80:c2:00:00:00', '01:80:c2:00:00:0e', '01:00:0c:cc:cc:cd', one(at.others).mac]);
    const type = one([0x0026, 0x0806, 0x88cc, 0x8847, 0x894f, 0x88a8, random(65_536)]);
    return frame(
      `type ${type.toString(16)} to ${to}`,
      false,
      ethernet(to, at.own.mac, type, Buffer.concat([mark, Buffer.alloc(40)])),
    );
  },
];

function frame(title: string, isForged: boolean, bytes: Buffer): HostileFrame {
  return { title, isForged, bytes };
}

function ethernet(to: string, from: string, type: number, payload: Buffer): Buffer {
  return Buffer.concat([macBytes(to), macBytes(from), word(type), payload]);
}

function arp(operation: number, mac: string, address: string, toMac: string, to: string): Buffer {
  return Buffer.concat([
    bytesOf('000108000604'),
    word(operation),
    macBytes(mac),
    four(address),
    macBytes(toMac),
    four(to),
  ]);
}

/** Returns an IPv4 packet; `fragment` is the value of the field with the flags and the offset. */
function ipv4(from: string, to: string, protocol: number, payload: Buffer, fragment = 0, hops = 64): Buffer {
  const header = Buffer.concat([
    ...[bytesOf('4500'), word(20 + payload.length), bytesOf('1234'), word(fragment)],
    ...[Buffer.from([hops, protocol]), word(0), four(from), four(to)],
  ]);
  header.writeUInt16BE(sumOf(header), 10);
  return Buffer.concat([header, payload]);
}

/**
 * Returns an IPv6 packet; `length` is the length of the payload in the header, if a trailer follows that does not
 * belong to the payload.
 */
function ipv6(from: string, to: string, next: number, payload: Buffer, hops = 64, length = payload.length): Buffer {
  return Buffer.concat([bytesOf('60000000'), word(length), Buffer.from([next, hops]), six(from), six(to), payload]);
}

/** Returns a datagram without a checksum, which IPv4 allows (RFC 768). */
function udp(from: number, to: number, payload: Buffer): Buffer {
  return Buffer.concat([word(from), word(to), word(8 + payload.length), word(0), payload]);
}

function tcp(from: number, to: number, flags: number, payload: Buffer): Buffer {
  return Buffer.concat([
    word(from),
    word(to),
    Buffer.alloc(8),
    Buffer.from([0x50, flags]),
    word(1_000),
    Buffer.alloc(4),
    payload,
  ]);
}

/**
 * Fills in the checksum of a message over IPv6 (RFC 8200 section 8.1): after two bytes for ICMPv6, after six for UDP.
 */
function checksummed(from: string, to: string, message: Buffer, next: number = protocols.udp): Buffer {
  const pseudo = Buffer.concat([six(from), six(to), word(0), word(message.length), Buffer.from([0, 0, 0, next])]);
  const whole = Buffer.from(message);
  whole.writeUInt16BE(sumOf(Buffer.concat([pseudo, message])), next === protocols.udp ? 6 : 2);
  return whole;
}

/** Returns the checksum of RFC 1071. */
function sumOf(bytes: Buffer): number {
  let sum = 0;
  for (let index = 0; index < bytes.length; index += 2) sum += (bytes[index] ?? 0) * 256 + (bytes[index + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

const sixes = ({ address6, linkLocal }: Party): readonly string[] => [address6, linkLocal];
const pick = <T>(random: Random, list: readonly T[]): T => list[random(list.length)] as T;
const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');
const macBytes = (mac: string): Buffer => bytesOf(mac.replaceAll(':', ''));
const four = (address: string): Buffer => Buffer.from(address.split('.').map(Number));
const six = (address: string): Buffer => bytesOf(ipv6Value(address).toString(16).padStart(32, '0'));
const threeBytes = (random: Random): Buffer => Buffer.from([0, 0, random(20)]);

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function hexBytes(random: Random, count: number): string {
  return Array.from({ length: count }, () => random(256).toString(16).padStart(2, '0')).join(':');
}
