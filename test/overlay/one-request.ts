// Requests to the servers of pods and nodes, with one connection or one UDP socket each, by a program that starts in a
// fraction of the time of Node.js.
import { once } from 'node:events';
import type { Host } from './hosts.ts';

/** Limit for an answer that must not come: permitted packets are answered within milliseconds. */
export const silenceMs = 1500;
/** Limit for an answer that must come. */
const answerMs = 60_000;

/**
 * Program that asks like a real client: the kernel repeats lost packets of TCP, and a datagram is repeated every second
 * from the same socket. Arguments: protocol, address, port, limit in seconds, text that is printed after the limit,
 * reaction to a connection that ends without an answer (`again`: another one, `reason`: the text of the error is
 * printed, `nothing`: the program ends), source address, which may be empty, and size of the datagram. Prints the
 * answer.
 */
const client = `
use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6);
use Time::HiRes qw(alarm);
my ($protocol, $address, $port, $limit, $silence, $reaction, $own, $bytes) = @ARGV;
my $isSix = $address =~ /:/;
my $answer;
sub place { $isSix ? pack_sockaddr_in6($_[1], inet_pton(AF_INET6, $_[0])) : pack_sockaddr_in($_[1], inet_aton($_[0])) }
sub opened {
  socket(my $socket, $isSix ? AF_INET6 : AF_INET, $_[0], 0) or die $!;
  bind($socket, place($own, 0)) || die $! if $own ne '';
  return $socket;
}
sub end { print $_[0]; exit }
$SIG{ALRM} = sub { end($silence) };
$| = 1;
alarm $limit;
if ($protocol eq 'udp') {
  my $socket = opened(SOCK_DGRAM);
  for (;;) {
    send($socket, '?' x $bytes, 0, place($address, $port));
    vec(my $ready = '', fileno($socket), 1) = 1;
    next if select($ready, undef, undef, 1) < 1;
    end($answer) if defined recv($socket, $answer, 1024, 0);
  }
}
for (;;) {
  my $socket = opened(SOCK_STREAM);
  end($answer) if connect($socket, place($address, $port)) && sysread($socket, $answer, 1024);
  end($reaction eq 'reason' ? "$!" : '') if $reaction ne 'again';
  select(undef, undef, undef, 0.1);
}
`;

function words(
  protocol: 'tcp' | 'udp',
  address: string,
  port: number,
  limitMs: number,
  silence: string,
  own = '',
  bytes = 1,
  reaction: 'again' | 'reason' | 'nothing' = limitMs === answerMs ? 'again' : 'nothing',
): readonly string[] {
  const place = [protocol, address, `${port}`];
  return ['perl', '-e', client, '--', ...place, `${limitMs / 1000}`, silence, reaction, own, `${bytes}`];
}

/**
 * Returns the answer of a server. A refused connection is followed by another one, for at most a minute; the answer is
 * then `no answer`.
 */
export function ask(from: Pick<Host, 'must'>, protocol: 'tcp' | 'udp', address: string, port: number): string {
  return from.must(...words(protocol, address, port, answerMs, 'no answer')).trim();
}

/**
 * Connects once, and lets only the kernel repeat packets. Returns the answer, `no answer` after a minute, or the text
 * of the error with which the connection ended.
 */
export function askOnce(from: Pick<Host, 'must'>, address: string, port: number): string {
  return from.must(...words('tcp', address, port, answerMs, 'no answer', '', 1, 'reason')).trim();
}

/** Repeats a request until the answer is `wanted`; returns the last answer. */
export function askUntil(from: Pick<Host, 'must'>, address: string, port: number, wanted: string): string {
  let answer = '';
  for (let attempt = 0; attempt < 60 && answer !== wanted; attempt += 1) {
    answer = ask(from, 'tcp', address, port);
    if (answer !== wanted) from.must('sleep', '0.5');
  }
  return answer;
}

/**
 * Connects once to a place that must not answer; returns the answer, or an empty text. `own` is the source address of
 * the packets.
 */
export function attempt(from: Pick<Host, 'must'>, address: string, port = 8080, own = ''): string {
  return attemptFrom(from, own, 'tcp', address, port);
}

/** Asks once over a protocol, as `attempt` does. */
export function attemptFrom(
  from: Pick<Host, 'must'>,
  own: string,
  protocol: 'tcp' | 'udp',
  address: string,
  port: number,
): string {
  return from.must(...words(protocol, address, port, silenceMs, '', own)).trim();
}

/** Runs attempts at the same time; returns the answer of each. */
export function attempts(
  ...places: readonly (readonly [from: Pick<Host, 'start'>, address: string, port?: number])[]
): Promise<readonly string[]> {
  return Promise.all(
    places.map(async ([from, address, port = 8080]) => {
      const child = from.start(...words('tcp', address, port, silenceMs, ''));
      let answer = '';
      child.stdout?.on('data', (text: Buffer) => {
        answer += text;
      });
      await once(child, 'close');
      return answer.trim();
    }),
  );
}

/**
 * Sends a datagram of this size to port 8053 of an address each second, until an answer arrives; returns the answer.
 * Returns the empty text after a minute.
 */
export function askWith(from: Pick<Host, 'must'>, address: string, bytes: number): string {
  return from.must(...words('udp', address, 8053, answerMs, '', '', bytes)).trim();
}
