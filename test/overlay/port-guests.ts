// Hosts behind interfaces of nodes: a VM behind a tap, and machines on the network of a NIC.
import { execFileSync } from 'node:child_process';
import type { Host } from './hosts.ts';
import { moveInside, type Pod, plugPod, ready } from './services.ts';

/**
 * Stand-in for a hypervisor. It holds the tap of a VM and a second tap, which is the NIC of the VM, and copies frames
 * between them (Linux, Documentation/networking/tuntap.rst; TUNSETIFF with IFF_TAP and IFF_NO_PI). Both taps end with
 * the process, as the tap of a hypervisor does. The NIC can be moved into another network namespace.
 */
const hypervisor = `
  my @taps = map {
    open(my $tap, '+<', '/dev/net/tun') or die "no tap: $!";
    ioctl($tap, 0x400454ca, pack('a16 S x22', $_, 0x1002)) or die "$_: $!";
    $tap;
  } @ARGV;
  $| = 1;
  print "$$\\n";
  while (1) {
    my $ready = '';
    vec($ready, fileno($_), 1) = 1 for @taps;
    select($ready, undef, undef, undef) < 0 and next;
    for my $i (0, 1) {
      vec($ready, fileno($taps[$i]), 1) or next;
      sysread($taps[$i], my $frame, 65536);
      syswrite($taps[1 - $i], $frame);
    }
  }`;

/** VM behind a tap. */
export interface Vm extends Pod {
  /** Ends the VM; its tap no longer exists afterwards. */
  end(): void;
}

/**
 * Creates the tap of a VM. `guest` is the name of the VM's NIC, which is still in the namespace of the host. Returns a
 * function that removes both.
 */
export async function makeTap(host: Host, tap: string, guest: string, mac: string): Promise<() => void> {
  const pid = (await ready(host.start('perl', '-e', hypervisor, tap, guest))).trim();
  host.must('ip', 'link', 'set', guest, 'address', mac);
  const gone = 'kill -9 "$1"; while test -e "/sys/class/net/$2"; do sleep 0.1; done';
  return () => host.must('timeout', '60', 'sh', '-c', gone, 'sh', pid, tap);
}

/** Starts a VM behind a tap of a node. */
export async function startVm(host: Host, tap: string, mac: string, address: string, address6 = ''): Promise<Vm> {
  const end = await makeTap(host, tap, 'guest', mac);
  return { ...(await moveInside(host, 'guest', address, address6)), end };
}

/**
 * Connects NICs of two nodes by a pair of veths. A Linux bridge is not used, because it learns the MACs of all VLANs
 * together, and OVN sends a broadcast of one VLAN to the hosts of the others.
 */
export function connect(one: Host, other: Host, nic: string): void {
  const end = (host: Host): readonly string[] => [nic, 'netns', String(host.pid)];
  execFileSync('ip', ['link', 'add', ...end(one), 'type', 'veth', 'peer', 'name', ...end(other)]);
  for (const host of [one, other]) {
    host.must('ethtool', '-K', nic, 'tx', 'off');
    host.must('ip', 'link', 'set', nic, 'up');
  }
}

/** Turns a node into the switch of a network: its NIC is a trunk, and hosts are plugged into its bridge. */
export function makeSwitch(host: Host, nic: string): void {
  host.must('ovs-vsctl', 'add-br', 'br-int', '--', 'set', 'bridge', 'br-int', 'datapath_type=netdev');
  host.must('ovs-vsctl', 'add-port', 'br-int', nic);
  host.must('ip', 'link', 'set', 'br-int', 'up');
}

/** Starts a machine at the switch that makeSwitch() made; `vlan` is null if the machine sends untagged packets. */
export async function startMachine(
  host: Host,
  name: string,
  vlan: number | null,
  mac: string,
  address: string,
  address6 = '',
): Promise<Pod> {
  const machine = await plugPod(host, { interface: name, port: name, mac, address, address6 });
  if (vlan !== null) host.must('ovs-vsctl', 'set', 'Port', name, `tag=${vlan}`);
  return machine;
}

/**
 * Sends a datagram that fills a packet of this MTU, and forbids fragments; returns the answer, or an empty text after
 * many attempts (ip(7), IP_MTU_DISCOVER).
 */
export function fullPacket(from: Pick<Host, 'must'>, address: string, mtuBytes: number): string {
  const script = `
    use Socket;
    socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!;
    setsockopt($s, 0, 10, pack('i', 2)) or die $!;
    my $to = sockaddr_in(8053, inet_aton('${address}'));
    for (1 .. 10) {
      send($s, 'x' x ${mtuBytes - 28}, 0, $to) or die "not sent: $!";
      vec(my $ready = '', fileno($s), 1) = 1;
      next if select($ready, undef, undef, 1) < 1;
      recv($s, my $answer, 100, 0);
      print $answer;
      last;
    }`;
  return from.must('perl', '-e', script).trim();
}

/**
 * Returns a text with everything that `overlay port` may change: rows, whether ports are published, and the ports of
 * br-int of each node.
 */
export function portState(central: Host, nodes: readonly Host[]): string {
  const sorted = (text: string): string => text.split('\n').toSorted().join('\n');
  const list = (table: string, columns: string): string =>
    sorted(central.must('ovn-nbctl', '--bare', '--no-headings', `--columns=${columns}`, 'list', table));
  return [
    list('Logical_Switch_Port', 'name,addresses,port_security,parent_name,tag_request'),
    list('ACL', 'match'),
    central
      .must('ovn-sbctl', '--bare', '--no-headings', '--columns=external_ids', 'list', 'SB_Global')
      .includes('ports'),
    sorted(central.must('ovn-sbctl', '--bare', '--no-headings', '--columns=logical_port', 'list', 'Port_Binding')),
    ...nodes.map((host) => sorted(host.must('ovs-vsctl', 'list-ports', 'br-int'))),
  ].join('\n');
}
