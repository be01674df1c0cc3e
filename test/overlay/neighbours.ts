// Requests of ARP (RFC 826) and neighbour discovery (RFC 4861) on a LAN, byte by byte. They find all hosts that answer
// for an address, and not only the last one.
import { ipv6Value } from '../../agent/net/address.ts';
import type { Host } from './hosts.ts';

/** Number of requests per address: a second answer to one request has arrived when the next request is answered. */
const questions = 10;

/**
 * Program that sends the same request several times. After each request it waits up to 10 s for an answer, and prints
 * the MAC of the answer.
 */
const asker = `
  use Socket;
  my ($index, $times, $frame, $answer) = @ARGV;
  socket(my $s, 17, SOCK_RAW, unpack('S', pack('n', 3))) or die $!;
  bind($s, pack('S n i S C C a8', 17, 3, $index, 0, 0, 0, '')) or die $!;
  for (1 .. $times) {
    send($s, pack('H*', $frame), 0) or die $!;
    my $ready = '';
    vec($ready, fileno($s), 1) = 1;
    while (select(my $now = $ready, undef, undef, 10)) {
      recv($s, my $got, 2048, 0);
      next unless unpack('H*', $got) =~ /$answer/;
      print "$1\\n";
      last;
    }
  }
`;

/** Returns the MACs that answer for an address on the LAN of br-ex, each once, in order. */
export function answeringMacs(from: Host, address: string): readonly string[] {
  const files = ['ifindex', 'address'].map((name) => `/sys/class/net/br-ex/${name}`);
  const [index = '', colons = ''] = from.must('cat', ...files).split('\n');
  const mac = colons.replaceAll(':', '');
  const { frame, answer } = address.includes(':')
    ? solicitation(mac, sixOf(from), address)
    : request(mac, from.address, address);
  const said = from.must('perl', '-e', asker, index, String(questions), frame, answer);
  const macs = said.split('\n').filter((line) => line !== '');
  return [...new Set(macs)].toSorted().map((one) => (one.match(/../g) ?? []).join(':'));
}

interface Question {
  /** Frame of the request in hexadecimal. */
  readonly frame: string;
  /** Pattern of an answer in hexadecimal; its first group is the MAC of the host that answers. */
  readonly answer: string;
}

function request(mac: string, source: string, target: string): Question {
  const [from, to] = [hexOfFour(source), hexOfFour(target)];
  return {
    frame: `ffffffffffff${mac}08060001080006040001${mac}${from}000000000000${to}`,
    answer: `^[0-9a-f]{12}[0-9a-f]{12}08060001080006040002([0-9a-f]{12})${to}`,
  };
}

function solicitation(mac: string, source: string, target: string): Question {
  const [from, to] = [hexOfSix(source), hexOfSix(target)];
  const group = `ff0200000000000000000001ff${to.slice(-6)}`;
  const message = (checksum: string): string => `8700${checksum}00000000${to}0101${mac}`;
  const sum = checksumOf(`${from}${group}000000200000003a${message('0000')}`);
  return {
    frame: `3333ff${to.slice(-6)}${mac}86dd6000000000203aff${from}${group}${message(sum)}`,
    answer: `^[0-9a-f]{12}([0-9a-f]{12})86dd[0-9a-f]{12}3a[0-9a-f]{2}[0-9a-f]{64}88[0-9a-f]{14}${to}`,
  };
}

/** Returns the checksum of the pseudo header and the message (RFC 4443 section 2.3). */
function checksumOf(hex: string): string {
  let sum = (hex.match(/.{4}/g) ?? []).reduce((total, word) => total + Number.parseInt(word, 16), 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return (~sum & 0xffff).toString(16).padStart(4, '0');
}

/** Returns the MAC of a host on the LAN. */
export function macOf(host: Host): string {
  return host.must('cat', '/sys/class/net/br-ex/address').trim();
}

/** Returns the IPv6 address of a host on the LAN, which ends like its IPv4 address. */
export function sixOf({ address }: Host): string {
  return `2001:db8::${address.split('.')[3]}`;
}

function hexOfFour(address: string): string {
  return address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('');
}

function hexOfSix(address: string): string {
  return ipv6Value(address).toString(16).padStart(32, '0');
}
