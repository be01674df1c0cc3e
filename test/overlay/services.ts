// Pods without a container runtime, and load balancers as a watcher of services would write them.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { macOf } from '../../agent/overlay/addresses.ts';
import type { Host } from './hosts.ts';

/**
 * Program that answers TCP on 8080 and UDP on 8053 with the address of the client, and survives a connection that the
 * client resets.
 */
const server = `
const net = require('net');
const plain = (address) => address.replace('::ffff:', '');
net.createServer((socket) => socket.on('error', () => {}).end(plain(socket.remoteAddress ?? ''))).listen(8080, '::', () => {
  const socket = require('dgram').createSocket('udp6');
  socket.on('message', (_, { address, port }) => socket.send(plain(address), port, address));
  socket.bind(8053, '::', () => console.log('ready'));
});
`;

export interface Pod extends Pick<Host, 'must' | 'start'> {
  readonly address: string;
  readonly address6: string;
}

/** Interface of a pod, and its logical port in OVN. */
export interface Plug {
  readonly interface: string;
  readonly port: string;
  /** UID of the pod. If the logical port has the UID, the interface must have it as well. */
  readonly uid?: string;
  readonly mac: string;
  readonly address: string;
  readonly address6?: string;
}

/** Starts servers on a node itself. */
export async function serve(host: Host): Promise<void> {
  await ready(host.start(process.execPath, '-e', server));
}

/** Creates a namespace with an interface in a node's switch, the ninth address of its subnets, and a server. */
export async function startPod(central: Host, host: Host, subnet: string, subnet6: string): Promise<Pod> {
  const address = `${subnet.replace(/0\/.*/, '')}9`;
  const address6 = `${subnet6.replace(/\/.*/, '')}9`;
  const name = `pod-${host.name}`;
  const mac = macOf(address);
  const place = `${mac} ${address} ${address6}`;
  central.must('ovn-nbctl', 'lsp-add', host.name, name, '--', 'lsp-set-addresses', name, place);
  return plugPod(host, { interface: name, port: name, mac, address, address6 });
}

/** Creates the namespace and the interface of a pod that has a port in OVN, and a server. */
export async function plugPod(host: Host, plug: Plug): Promise<Pod> {
  const { interface: name, port, uid, mac, address, address6 } = plug;
  host.must(
    ...['ovs-vsctl', 'add-port', 'br-int', name, '--', 'set', 'Interface', name, 'type=internal', `mac="${mac}"`],
    `external_ids:iface-id=${port}`,
    ...(uid === undefined ? [] : [`external_ids:iface-id-ver=${uid}`]),
  );
  return moveInside(host, name, address, address6);
}

/**
 * Moves an interface of a node into a new namespace, gives it these addresses and the routes of a pod, and starts a
 * server there.
 */
export async function moveInside(host: Host, name: string, address: string, address6 = ''): Promise<Pod> {
  const script = `
    ip link set lo up
    echo $$
    while ! ip link set ${name} mtu 1400 up 2> /dev/null; do read -r _; done
    ip address add ${address}/24 dev ${name}
    ip route add default via ${address.replace(/[^.]*$/, '')}1
    ${address6 === '' ? '' : `ip address add ${address6}/64 dev ${name} nodad`}
    ${address6 === '' ? '' : `ip route add default via ${address6.replace(/[^:]*$/, '')}1`}
    exec ${process.execPath} -e '${server.replaceAll("'", '"')}'`;
  // sh is used, because bash reads ~/.bashrc if its standard input is a socket (bash(1), "remote shell daemon").
  const child = host.start('unshare', '-n', 'sh', '-c', script);
  const pid = (await ready(child)).trim();
  host.must('ip', 'link', 'set', name, 'netns', pid);
  child.stdin?.write('\n');
  await ready(child);
  const there = ['nsenter', '-t', pid, '-n'];
  return {
    address,
    address6,
    must: (...words) => host.must(...there, ...words),
    start: (...words) => host.start(...there, ...words),
  };
}

/**
 * Writes a load balancer of every switch and every gateway; by default, gateways answer ARP for addresses on their LAN.
 */
export function balance(
  central: Host,
  name: string,
  protocol: 'tcp' | 'udp',
  vips: Readonly<Record<string, string>>,
  responder: 'reachable' | 'none' = 'reachable',
): void {
  const id = central
    .must(
      'ovn-nbctl',
      'create',
      'Load_Balancer',
      `name=${name}`,
      `protocol=${protocol}`,
      `options:neighbor_responder=${responder}`,
    )
    .trim();
  const pairs = Object.entries(vips).map(([at, to]) => `vips:"${at}"="${to}"`);
  central.must('ovn-nbctl', 'set', 'Load_Balancer', id, ...pairs);
  central.must('ovn-nbctl', 'add', 'Load_Balancer_Group', 'clusterLBGroup', 'load_balancer', id);
  central.must('ovn-nbctl', '--wait=hv', 'sync');
}

/** Returns the first output of a process. Fails with the text that the process prints on standard error. */
export async function ready({ stdout, stderr }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the process has no output to read');
  const failed =
    stderr === null ? [] : [once(stderr, 'data').then(([text]) => Promise.reject(new Error(String(text))))];
  const [line] = (await Promise.race([once(stdout, 'data'), ...failed])) as [Buffer];
  return String(line);
}

/**
 * Returns the number of UDP packets that have arrived at a pod, with and without a listener: over IPv4 (`Udp`) or IPv6
 * (`Udp6`) (proc_net(5), snmp and snmp6).
 */
export function datagramsAt(pod: Pod, family: 'Udp' | 'Udp6' = 'Udp'): number {
  const counts = new Map<string, number>();
  if (family === 'Udp6') {
    for (const line of pod.must('cat', '/proc/net/snmp6').split('\n')) {
      const [name = '', count] = line.split(/\s+/);
      counts.set(name.replace(family, ''), Number(count));
    }
  } else {
    const lines = pod.must('cat', '/proc/net/snmp').split('\n');
    const [names = [], values = []] = lines.filter((line) => line.startsWith('Udp:')).map((line) => line.split(' '));
    for (const [place, name] of names.entries()) counts.set(name, Number(values[place]));
  }
  return (counts.get('InDatagrams') ?? 0) + (counts.get('NoPorts') ?? 0);
}
