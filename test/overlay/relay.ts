// API server of this machine, which a node reaches as if it ran on the node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import type { ApiServer } from '../cluster/api-server.ts';
import { mortal } from '../cluster/mortal.ts';
import { configure } from './form.ts';
import type { Host } from './hosts.ts';

/** Path of the kubeconfig on the nodes. */
export const nodeKubeconfig = '/etc/microshift/kubeconfig';

/**
 * Program that listens at a port of the loopback interface in network namespaces, which are files, and forwards each
 * connection to the same port in its own namespace: a socket stays in the namespace in which it was created. Two
 * processes for each connection forward one direction each.
 */
const relay = `
  use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY SHUT_WR); $| = 1; $SIG{CHLD} = 'IGNORE'; $SIG{PIPE} = 'IGNORE';
  my ($port, @namespaces) = @ARGV;
  my $setns = 308; # setns(2) on x86-64; Perl has no function for it.
  my $place = sockaddr_in($port, INADDR_LOOPBACK);
  my $enter = sub { open(my $file, '<', $_[0]) or die $!; syscall($setns, fileno($file), 0) == 0 or die $! };
  open(my $own, '<', '/proc/self/ns/net') or die $!;
  my %listeners;
  for my $namespace (@namespaces) {
    $enter->($namespace);
    socket(my $listener, AF_INET, SOCK_STREAM, 0) or die $!;
    setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1) or die $!;
    bind($listener, $place) or die $!;
    listen($listener, 128) or die $!;
    $listeners{fileno($listener)} = $listener;
  }
  syscall($setns, fileno($own), 0) == 0 or die $!;
  print "listening\\n";
  close(STDOUT);
  my $all = '';
  vec($all, $_, 1) = 1 for keys %listeners;
  for (;;) {
    next if select(my $ready = $all, undef, undef, undef) <= 0;
    for my $listener (map { $listeners{$_} } grep { vec($ready, $_, 1) } keys %listeners) {
      accept(my $one, $listener) or next;
      if (fork() == 0) {
        close($_) for values(%listeners), *STDERR;
        socket(my $other, AF_INET, SOCK_STREAM, 0) or exit;
        connect($other, $place) or exit;
        setsockopt($_, IPPROTO_TCP, TCP_NODELAY, 1) for $one, $other;
        my ($from, $to) = fork() == 0 ? ($one, $other) : ($other, $one);
        while (sysread($from, my $text, 65536)) {
          while (length($text)) {
            my $written = syswrite($to, $text) or exit;
            substr($text, 0, $written, '');
          }
        }
        shutdown($to, SHUT_WR);
        exit;
      }
      close($one);
    }
  }
`;

/**
 * Makes the server reachable from nodes at its own address. A separate process forwards the connections, because this
 * process blocks while it waits for a program.
 */
export async function forwardApi(t: Test, { port }: Pick<ApiServer, 'port'>, hosts: readonly Host[]): Promise<void> {
  const namespaces = hosts.map(({ pid }) => `/proc/${pid}/ns/net`);
  const [first, ...rest] = mortal(['perl', '-e', relay, String(port), ...namespaces]);
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
  t.teardown(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
}

/**
 * Makes the server reachable from nodes, and gives their agents the administrator's kubeconfig. The ovn.yaml of each
 * node names the kubeconfig beside other `keys` of the group overlay.
 */
export async function offerApi(
  t: Test,
  server: Pick<ApiServer, 'port' | 'kubeconfig'>,
  hosts: readonly Host[],
  keys: Readonly<Record<string, string>> = {},
): Promise<void> {
  await forwardApi(t, server, hosts);
  const kubeconfig = JSON.parse(readFileSync(server.kubeconfig('node'), 'utf8'));
  const [{ cluster }] = kubeconfig.clusters;
  cluster['certificate-authority-data'] = readFileSync(cluster['certificate-authority']).toString('base64');
  delete cluster['certificate-authority'];
  for (const host of hosts) {
    host.write(nodeKubeconfig, JSON.stringify(kubeconfig));
    configure(host, { kubeconfig: nodeKubeconfig, ...keys });
  }
}
