// A UDP client sends packets before the node can redirect them to a process on the wildcard address, because the
// nftables table or the process comes later. The same socket is answered as soon as both exist. The test uses only the
// kernel and nft(8).
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hostServices } from '../../agent/overlay/services/host-services.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { mortal } from '../cluster/mortal.ts';

const skip = hasProgram('nft', '--version') ? false : 'nft is missing';
const device = 'ovn-k8s-mp0';
/**
 * Address of the node on its LAN, which is the server of a service; the node's address in the cluster; and the
 * client's.
 */
const [node, own, client] = ['192.0.2.11', '10.42.0.2', '10.42.0.9'];
const port = 8054;

const server = `
const socket = require('dgram').createSocket('udp4');
socket.on('message', (_, { address, port }) => socket.send('answer', port, address));
socket.bind(${port}, () => console.log('listening'));`;

/** Program that sends ten packets a second from one connected socket, which accepts answers only from its peer. */
const asker = `
const socket = require('dgram').createSocket('udp4');
socket.on('message', (answer) => console.log(String(answer)));
socket.on('error', () => {});
socket.connect(${port}, '${node}', () => setInterval(() => socket.send('?', () => console.log('sent')), 100));`;

/** Creates network namespaces of a node and of a pod, and connects them like OVN. */
async function startNamespaces(t: Test) {
  const start = (...words: readonly string[]) => {
    const [first, ...rest] = mortal(words);
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    return {
      pid: child.pid ?? 0,
      /** Settles as soon as the process has printed this line `times` times after this call. */
      says: (text: string, times = 1): Promise<void> =>
        new Promise((resolve) => {
          let left = times;
          const look = (line: string): void => {
            if (line === text) left -= 1;
            if (left === 0) lines.off('line', look);
            if (left === 0) resolve();
          };
          lines.on('line', look);
        }),
      end: async (): Promise<void> => {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  };
  const namespaces = ['node', 'pod'].map(() => start('unshare', '-n', 'sh', '-c', 'echo ready; exec sleep infinity'));
  await Promise.all(namespaces.map(({ says }) => says('ready')));
  const inside = namespaces.map(({ pid }) => ['nsenter', '-t', String(pid), '-n'] as const);
  const run = (index: number, words: readonly string[], input = ''): void => {
    const [first, ...rest] = [...(inside[index] ?? []), ...words];
    execFileSync(first ?? '', rest, { input, stdio: ['pipe', 'ignore', 'inherit'] });
  };
  run(0, ['ip', 'link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(namespaces[1]?.pid)]);
  for (const [index, one, ...addresses] of [
    [0, device, `${own}/24`],
    [0, 'lo', `${node}/32`],
    [1, 'eth0', `${client}/24`],
  ] as const) {
    for (const address of addresses) run(index, ['ip', 'address', 'add', address, 'dev', one]);
    run(index, ['ip', 'link', 'set', one, 'up']);
  }
  run(1, ['ip', 'route', 'add', `${node}/32`, 'via', own]);
  return {
    onNode: (script: string) => start(...(inside[0] ?? []), process.execPath, '-e', script),
    onPod: (script: string) => start(...(inside[1] ?? []), process.execPath, '-e', script),
    load: (script: string) => run(0, ['nft', '-f', '-'], script),
  };
}

/** nftables table of a node that has the server of a UDP service. */
const table =
  hostServices(
    [
      {
        protocol: 'udp',
        address: '10.43.0.10',
        port: 53,
        target: { address: node, port },
        isServedHere: true,
      },
    ],
    device,
    [node],
    false,
  )?.script ?? '';

t.test('a client that sends before the table exists', { skip }, async (t) => {
  const { onNode, onPod, load } = await startNamespaces(t);
  // With this rule the kernel tracks connections, as on a node with a firewall.
  load('table inet firewall { chain input { type filter hook input priority 0; ct state new accept; }; }');
  await onNode(server).says('listening');
  const asking = onPod(asker);
  await asking.says('sent', 5);
  load(table);
  await asking.says('answer', 3);
  t.pass('the client is answered with the table');
});

t.test('a client that sends before the process listens', { skip }, async (t) => {
  const { onNode, onPod, load } = await startNamespaces(t);
  load(table);
  const asking = onPod(asker);
  await asking.says('sent', 5);
  const first = onNode(server);
  await asking.says('answer', 3);
  t.pass('the client is answered when the process listens');
  await first.end();
  onNode(server);
  await asking.says('answer', 3);
  t.pass('the client is answered by another process after the end of the first');
});
