// Cluster with a distant host outside of it, which answers with the address of its client.
import type { Host, Lan } from './hosts.ts';

/** IPv4 address of the distant host. */
export const outside = '198.51.100.1';
/** IPv6 address of the distant host. */
export const outside6 = '2001:db8:ffff::1';

/** Path of the file with the role of a node in the cluster. */
export const record = '/var/lib/microshift-net/overlay.json';

/** Databases that a central node has. */
export const databases = ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'] as const;

/** Creates the router of the LAN, which is also the distant host, and has no route to the cluster's subnets. */
export async function startOutside(lan: Lan, mounts: readonly string[] = []): Promise<Host> {
  const host = await lan.host('outside', 200, ['eth1'], mounts);
  host.must('ip', 'address', 'add', '192.0.2.254/24', 'dev', 'br-ex');
  host.must('ip', 'address', 'add', `${outside}/32`, 'dev', 'lo');
  host.must('ip', 'address', 'add', '2001:db8::fe/64', 'dev', 'br-ex', 'nodad');
  host.must('ip', 'address', 'add', `${outside6}/128`, 'dev', 'lo', 'nodad');
  const answer = `for (const address of ['${outside}', '${outside6}'])
    require('net').createServer((socket) => socket.on('error', () => {}).end(socket.remoteAddress + '\\n')).listen(4001, address)`;
  host.start(process.execPath, '-e', answer);
  return host;
}

/**
 * Program that connects from the node's address in the cluster until it succeeds, and prints the source address that
 * the distant host sees.
 */
const ask = `
const net = require('net');
const attempt = () => {
  const socket = net.connect({ port: 4001, host: process.argv[1], localAddress: process.argv[2] });
  socket.on('data', (data) => { process.stdout.write(data); process.exit(0); });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(attempt, 100));
};
attempt();
`;

/**
 * Returns the source address with which a node's packets arrive at the distant host; the packets leave by the node's
 * interface in the cluster.
 */
export function seenAs(host: Host, own: string): string {
  const router = own.replace(/2$/, '1');
  host.must('ip', 'route', 'replace', farFrom(own), 'via', router, 'dev', 'ovn-k8s-mp0');
  return answerTo(host, own);
}

/**
 * Returns the source address with which packets from an address of a node arrive at the distant host; `inside` is a
 * prefix that runs a program in a namespace of the node.
 */
export function answerTo(host: Host, own: string, ...inside: readonly string[]): string {
  const { stdout, stderr } = host.run([...inside, process.execPath, '-e', ask, farFrom(own), own]);
  return `${stdout}${stderr}`.trim();
}

function farFrom(own: string): string {
  return own.includes(':') ? outside6 : outside;
}

/** Creates a network namespace with a port of br-int, as a pod has; returns the prefix that runs a program in it. */
export function startPod(central: Host, host: Host, address: string, name = 'pod'): readonly string[] {
  const mac = '0a:58:00:00:00:09';
  central.must('ovn-nbctl', 'lsp-add', host.name, name, '--', 'lsp-set-addresses', name, `${mac} ${address}`);
  const stay = "unshare -n sh -c 'echo $$; exec sleep infinity >/dev/null 2>&1' &";
  const pid = host.must('sh', '-c', stay).trim();
  const settings = ['type=internal', `mac="${mac}"`, `external_ids:iface-id=${name}`];
  host.must('ovs-vsctl', 'add-port', 'br-int', name, '--', 'set', 'interface', name, ...settings);
  host.must('ip', 'link', 'set', name, 'netns', pid);
  const inside = ['nsenter', '-t', pid, '-n'];
  host.must(...inside, 'ip', 'address', 'add', `${address}/24`, 'dev', name);
  host.must(...inside, 'ip', 'link', 'set', name, 'up');
  host.must(...inside, 'ip', 'route', 'add', 'default', 'via', address.replace(/\d+$/, '1'));
  return inside;
}

/** Returns the parts of a node's state that a gateway changes, as text. */
export function state(host: Host): string {
  const rows = host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids', 'other_config');
  const ports = ['br-ex', 'br-int'].map((bridge) => host.must('ovs-vsctl', 'list-ports', bridge)).join('');
  const recorded = host.must('cat', record);
  return `${rows}${host.must('ovs-vsctl', 'list-br')}${ports}${host.must('ip', '-o', 'address', 'show', 'scope', 'global')}${recorded}`;
}

/** Lets the central node write the rows of an announced gateway, and waits until the gateway is connected. */
export function take(central: Host, host: Host, localnet: string): void {
  const { status, stdout, stderr } = central.agent('overlay', 'apply');
  if (status !== 0 || !stdout.startsWith('Done')) throw new Error(`nothing was written: ${stdout}${stderr}`);
  connected(host, localnet);
}

/** Waits until ovn-controller has connected a node's gateway to its bridge. */
export function connected(host: Host, localnet: string): void {
  host.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', `patch-${localnet}-to-br-int`, 'type=patch');
}
