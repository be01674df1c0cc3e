// Frames that announce to a LAN at which host an address is now, byte by byte.
import t from 'tap';
import { neighbourAnnouncement } from '../../../agent/net/neighbour-announcement.ts';

const mac = '02:00:00:00:00:05';

t.test('an ARP announcement is a broadcast in which the sender asks for its own address (RFC 5227 section 3)', (t) => {
  const arp = '0001080006040001020000000005c00002c8000000000000c00002c8';
  t.equal(neighbourAnnouncement('192.0.2.200', mac, null), `ffffffffffff0200000000050806${arp}`);
  t.equal(neighbourAnnouncement('192.0.2.200', mac, 7), `ffffffffffff02000000000581000007${'0806'}${arp}`);
  t.end();
});

t.test('an unsolicited neighbour advertisement overrides cached MACs (RFC 4861 section 7.2.6)', (t) => {
  const frame = neighbourAnnouncement('2001:db8::200', mac, null);
  const [ethernet, header, source, group, message] = [
    frame.slice(0, 28),
    frame.slice(28, 44),
    frame.slice(44, 76),
    frame.slice(76, 108),
    frame.slice(108),
  ];
  t.equal(ethernet, '33330000000102000000000586dd');
  t.equal(header, '6000000000203aff', 'the IPv6 header has 32 bytes of ICMPv6 and hop limit 255');
  t.equal(source, '20010db8000000000000000000000200');
  t.equal(group, 'ff020000000000000000000000000001');
  t.match(message, /^8800[0-9a-f]{4}2000000020010db80000000000000000000002000201020000000005$/);
  // The sum over pseudo header and message, including the checksum, is all ones (RFC 1071).
  const words = `${source}${group}000000200000003a${message}`.match(/.{4}/g) ?? [];
  let sum = words.reduce((total, word) => total + Number.parseInt(word, 16), 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  t.equal(sum, 0xffff, 'the checksum is valid');
  t.end();
});
