// A UDP client that has sent before the node redirects its packets to a process that is bound to no address: the same
// socket is answered as soon as the node has its table, and as soon as the process listens. Kernel and nft only.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hostServices } from '../../agent/overlay/services/host-services.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { mortal } from '../cluster/mortal.ts';

const skip = hasProgram('nft', '--version') ? false : 'nft is missing';
const device = 'ovn-k8s-mp0';
/** Address of the node on its LAN, which a service of the cluster has as its server, and addresses in the cluster. */
const [node, own, client] = ['192.0.2.11', '10.42.0.2', '10.42.0.9'];
const port = 8054;

const server = `
const socket = require('dgram').createSocket('udp4');
socket.on('message', (_, { address, port }) => socket.send('answer', port, address));
socket.bind(${port}, () => console.log('listening'));`;

/** Sends ten times a second from one connected socket, which takes answers only from the address it sends to. */
const asker = `
const socket = require('dgram').createSocket('udp4');
socket.on('message', (answer) => console.log(String(answer)));
socket.on('error', () => {});
socket.connect(${port}, '${node}', () => setInterval(() => socket.send('?', () => console.log('sent')), 100));`;

/** A namespace of a node and one of a pod, as OVN connects them. */
async function startNamespaces(t: Test) {
  const start = (...words: readonly string[]) => {
    const [first, ...rest] = mortal(words);
    const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
    t.teardown(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout });
    return {
      pid: child.pid ?? 0,
      /** Settles as soon as the process has printed such a line after this call, so many times. */
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

/** The table of a node on which a UDP service has its server. */
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
  )?.script ?? '';

t.test('a client that sends before the table', { skip }, async (t) => {
  const { onNode, onPod, load } = await startNamespaces(t);
  // The kernel tracks connections as soon as a table asks for their state, as that of a firewall does.
  load('table inet firewall { chain input { type filter hook input priority 0; ct state new accept; }; }');
  await onNode(server).says('listening');
  const asking = onPod(asker);
  await asking.says('sent', 5);
  load(table);
  await asking.says('answer', 3);
  t.pass('is answered with it');
});

t.test('a client that sends before the process listens', { skip }, async (t) => {
  const { onNode, onPod, load } = await startNamespaces(t);
  load(table);
  const asking = onPod(asker);
  await asking.says('sent', 5);
  const first = onNode(server);
  await asking.says('answer', 3);
  t.pass('is answered when it does');
  await first.end();
  onNode(server);
  await asking.says('answer', 3);
  t.pass('and by another process after it');
});
