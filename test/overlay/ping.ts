// ping(8) with the options that tests and the program need, because not every machine has it.
import type { Host } from './hosts.ts';

/**
 * Program that sends a request once a second until an answer arrives, because a new switch or router may not answer at
 * once; prints the TTL of the answer. Options: -w, -I.
 */
export const pingScript = `#!/usr/bin/perl
use Socket;
use Getopt::Long qw(:config no_ignore_case);
my ($limit, $device) = (30, undef);
GetOptions('w=i' => \\$limit, 'I=s' => \\$device, 'c=i' => \\my $count, 'i=s' => \\my $interval, n => \\my $numeric, q => \\my $quiet) or exit 2;
my $asked = inet_aton($ARGV[0]);
socket(my $socket, PF_INET, SOCK_RAW, 1) or die $!;
setsockopt($socket, SOL_SOCKET, 25, pack('Z*', $device)) or die $! if defined $device;
for my $number (1 .. $limit) {
  my $sum = 0xffff - ((0x0800 + $$ % 65536 + $number) % 0xffff);
  send($socket, pack('CCnnn', 8, 0, $sum, $$ % 65536, $number), 0, sockaddr_in(0, $asked));
  my $ready = '';
  vec($ready, fileno($socket), 1) = 1;
  my $left = 1;
  while ((my ($found, $rest) = select(my $readable = $ready, undef, undef, $left))[0]) {
    my $from = recv($socket, my $packet, 1500, 0);
    $left = $rest;
    my ($type, $id) = unpack('x20 C x3 n', $packet);
    next if $type != 0 || $id != $$ % 65536 || (sockaddr_in($from))[1] ne $asked;
    print unpack('x8 C', $packet);
    exit 0;
  }
}
exit 1;
`;

/** Returns the TTL with which an address answers a node; null if it does not answer within half a minute. */
export function ping(from: Pick<Host, 'run'>, address: string): number | null {
  const { status, stdout } = from.run(['perl', '-e', pingScript, '--', address]);
  return status === 0 ? Number(stdout) : null;
}

/** Installs the program on a node, for programs that the agent starts there. */
export function installPing(host: Host): void {
  host.write('/usr/bin/ping', pingScript);
  host.must('chmod', '755', '/usr/bin/ping');
}
