// UDP clients that keep one socket each while services are created, moved and deleted: the present server answers, and
// without a server the client is refused.
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { type ApiObject, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { startDaemon } from './daemon.ts';
import { form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { publish } from './publish-services.ts';
import { type Pod, startPod } from './services.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

type Place = Pick<Host, 'start'>;

/** Limit that is reached only if an outcome never comes. */
const limitMs = 100_000;

/** Runs a server that answers UDP at a port of every address with its name. */
async function serve(on: Place, name: string, port: number): Promise<void> {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (_, { address, port }) => socket.send('${name}', port, address));
    socket.bind(${port}, () => console.log('ready'));`;
  const { stdout } = on.start(process.execPath, '-e', script);
  await new Promise((resolve) => stdout?.once('data', resolve));
}

interface Client {
  /** Waits until three requests in a row have this outcome; outcomes before the call do not count. */
  hears(outcome: string): Promise<void>;
}

/** Starts a program that sends ten requests a second from one connected socket, regardless of the outcome. */
function keepAsking(from: Place, address: string, port: number): Client {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    socket.on('message', (answer) => console.log(String(answer)));
    socket.on('error', ({ code }) => console.log(code));
    socket.connect(${port}, '${address}', () => setInterval(() => socket.send('?', () => {}), 100));`;
  const { stdout } = from.start(process.execPath, '-e', script);
  let heard: string[] = [];
  let look = (): void => undefined;
  createInterface({ input: stdout as NodeJS.ReadableStream }).on('line', (line) => {
    heard.push(line);
    look();
  });
  return {
    hears: async (outcome) => {
      heard = [];
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`not ${outcome}, but ${heard.slice(-5).join()}`)), limitMs);
        look = () => {
          if (heard.length < 3 || heard.slice(-3).some((one) => one !== outcome)) return;
          clearTimeout(late);
          resolve();
        };
      });
      look = () => undefined;
    },
  };
}

/** Sends four datagrams at once from a new socket, and returns all answers. */
function burst(from: Pick<Host, 'must'>, address: string, port: number): string {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    const heard = [];
    socket.on('message', (answer) => { heard.push(String(answer)); if (heard.length === 4) { console.log(heard.join()); process.exit(); } });
    socket.bind(0, () => { for (let count = 0; count < 4; count += 1) socket.send('?', ${port}, '${address}'); });
    setTimeout(() => { console.log(heard.join() + ' and no more'); process.exit(); }, 10000);`;
  return from.must(process.execPath, '-e', script).trim();
}

t.test('one socket', { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => oneSocket(t, which));
});

async function oneSocket(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2, client] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('client', 50)];
  for (const host of [n1, n2, client]) host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8');
  form(t, [n1, n2]);
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  await startDaemon(n1);
  await startDaemon(n2);
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  for (const [on, name] of [
    [far, 'far'],
    [near, 'near'],
    [n1, 'host'],
  ] as const)
    await serve(on, name, 8054);

  const dns = serviceObject('dns', {
    type: 'NodePort',
    clusterIPs: ['10.43.0.10'],
    ports: [{ port: 53, protocol: 'UDP', nodePort: 30053 }],
  });
  const servedBy = (...places: readonly (readonly [string, string])[]): readonly ApiObject[] => [
    dns,
    sliceObject('dns', places, { ports: [{ name: '', port: 8054, protocol: 'UDP' }] }),
  ];
  const [atFar, atNear] = [
    [far.address, 'n1'],
    [near.address, 'n2'],
  ] as const;
  const pod = keepAsking(near as Pod, '10.43.0.10', 53);
  const node = keepAsking(n2, '10.43.0.10', 53);
  const ownPort = keepAsking(n2, n2.address, 30053);
  const outside = keepAsking(client, n2.address, 30053);
  const all = async (outcome: string, what: string): Promise<void> => {
    for (const [who, name] of [
      [pod, 'a pod'],
      [node, 'a node'],
      [ownPort, 'a client of the NodePort on the node itself'],
      [outside, 'a host of the LAN'],
    ] as const) {
      await who.hears(outcome);
      t.pass(`${name} ${what}`);
    }
  };
  await all('ECONNREFUSED', 'is refused before the service exists');
  await publish(n1, servedBy(atFar));
  await all('far', 'is answered with the same socket after the service was created');
  await publish(n1, servedBy(atNear));
  await all('near', 'is answered by the endpoint that replaced the first one');
  await publish(n1, []);
  await all('ECONNREFUSED', 'is refused without the service');
  await publish(n1, servedBy(atFar));
  await all('far', 'is answered after the service was created again');
  t.equal(burst(client, n2.address, 30053), 'far,far,far,far', 'datagrams that are sent at once are all answered');
  await publish(n1, servedBy([n1.address, 'n1']));
  await all('host', 'is answered by a process of a node that listens on the wildcard address');
}
