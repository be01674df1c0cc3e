// UDP clients of both families that keep one socket each while services are created, moved and deleted: the present
// server answers, and without a server the client is refused.
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { hasProgram } from '../cluster/binaries.ts';
import { dual, dualNode, gatewayOf } from '../unit/overlay/cluster.ts';
import { type ApiObject, serviceObject, sliceObject } from '../unit/workload/services/facts.ts';
import { startDaemon } from './daemon.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, missingForHosts, startLan } from './hosts.ts';
import { sixOf } from './neighbours.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { publish } from './publish-services.ts';
import { startPod } from './services.ts';

const skip = missingForHosts() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');

type Place = Pick<Host, 'start'>;

/** Limit that is reached only if an outcome never comes. */
const limitMs = 100_000;

/** Runs a server that answers UDP at a port of every address of both families with its name. */
async function serve(on: Place, name: string, port: number): Promise<void> {
  const script = `
    let waiting = 2;
    for (const [type, ipv6Only] of [['udp4', false], ['udp6', true]]) {
      const socket = require('dgram').createSocket({ type, ipv6Only });
      socket.on('message', (_, { address, port }) => socket.send('${name}', port, address));
      socket.bind(${port}, () => { waiting -= 1; if (waiting === 0) console.log('ready'); });
    }`;
  const { stdout } = on.start(process.execPath, '-e', script);
  await new Promise((resolve) => stdout?.once('data', resolve));
}

interface Client {
  /**
   * Waits until three requests in a row have this outcome; outcomes before the call do not count. Resolves with the
   * last outcomes if this one never comes, and with null otherwise.
   */
  hears(outcome: string): Promise<readonly string[] | null>;
  /** Resolves when the program has sent this number of requests. */
  hasSent(count: number): Promise<void>;
}

/** Line that a client prints for each request that it has sent. */
const sent = 'sent';

/** Starts a program that sends ten requests a second from one connected socket, regardless of the outcome. */
function keepAsking(from: Place, address: string, port: number): Client {
  const script = `
    const socket = require('dgram').createSocket('${typeOf(address)}');
    socket.on('message', (answer) => console.log(String(answer)));
    socket.on('error', ({ code }) => console.log(code));
    socket.connect(${port}, '${address}', () => setInterval(() => socket.send('?', () => console.log('${sent}')), 100));`;
  const { stdout } = from.start(process.execPath, '-e', script);
  let heard: string[] = [];
  let sentCount = 0;
  let look = (): void => undefined;
  createInterface({ input: stdout as NodeJS.ReadableStream }).on('line', (line) => {
    if (line === sent) sentCount += 1;
    else heard.push(line);
    look();
  });
  return {
    hears: async (outcome) => {
      heard = [];
      const others = await new Promise<readonly string[] | null>((resolve) => {
        const late = setTimeout(() => resolve(heard.slice(-5)), limitMs);
        look = () => {
          if (heard.length < 3 || heard.slice(-3).some((one) => one !== outcome)) return;
          clearTimeout(late);
          resolve(null);
        };
      });
      look = () => undefined;
      return others;
    },
    hasSent: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (sentCount >= count) resolve();
        };
        look();
      }),
  };
}

/** Returns the type of a socket that reaches an address. */
function typeOf(address: string): 'udp4' | 'udp6' {
  return address.includes(':') ? 'udp6' : 'udp4';
}

/**
 * Makes all gateways forget their neighbours, and keeps a node from answering ARP and neighbour discovery until the
 * returned function is called.
 */
function silence(central: Host, host: Host): () => void {
  const families = [
    ['arp', 'arp operation reply'],
    ['ip6', 'icmpv6 type nd-neighbor-advert'],
  ] as const;
  for (const [family, match] of families)
    host.must('nft', `table ${family} silent { chain out { type filter hook output priority 0; ${match} drop; }; }`);
  central.must('ovn-sbctl', '--all', 'destroy', 'MAC_Binding');
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  return () => {
    for (const [family] of families) host.must('nft', 'delete', 'table', family, 'silent');
  };
}

/** Sends four datagrams at once from a new socket, and returns all answers that come from their destination. */
function burst(from: Pick<Host, 'must'>, address: string, port: number): string {
  const script = `
    const socket = require('dgram').createSocket('${typeOf(address)}');
    const heard = [];
    socket.on('message', (answer, from) => { if (from.address !== '${address}') return; heard.push(String(answer)); if (heard.length === 4) { console.log(heard.join()); process.exit(); } });
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
  for (const host of [n1, n2, client]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    host.must('ip', 'address', 'add', `${sixOf(host)}/64`, 'dev', 'br-ex', 'nodad');
    configure(host, dualStack);
  }
  form(t, [n1, n2], { n2: ['--gateway', sixOf(n2)] });
  t.match(n2.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  await startDaemon(n1);
  await startDaemon(n2);
  const far = await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64');
  const near = await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64');
  await Promise.all([serve(far, 'far', 8054), serve(near, 'near', 8054), serve(n1, 'host', 8054)]);

  const nodes = [
    dualNode(1, { subnets: ['10.42.0.0/24', 'fd01::/64'] }),
    dualNode(2, {
      subnets: ['10.42.1.0/24', 'fd01:0:0:1::/64'],
      gateway: gatewayOf(2, { addresses: ['192.0.2.12/24', `${sixOf(n2)}/64`] }),
    }),
  ];
  const dns = serviceObject('dns', {
    type: 'NodePort',
    clusterIPs: ['10.43.0.10', 'fd02::10'],
    ports: [{ port: 53, protocol: 'UDP', nodePort: 30053 }],
  });
  const ports = [{ name: '', port: 8054, protocol: 'UDP' }];
  const servedBy = (node: string, address: string, address6: string): readonly ApiObject[] => [
    dns,
    sliceObject('dns', [[address, node]], { ports }),
    sliceObject('dns', [[address6, node]], { name: 'dns-six', ports, addressType: 'IPv6' }),
  ];
  const [atFar, atNear] = [servedBy('n1', far.address, far.address6), servedBy('n2', near.address, near.address6)];
  const clients = [
    ['IPv4', '10.43.0.10', n2.address],
    ['IPv6', 'fd02::10', sixOf(n2)],
  ].flatMap(([family = '', service = '', node = '']) => [
    [`a pod, ${family}`, keepAsking(near, service, 53)] as const,
    [`a node, ${family}`, keepAsking(n2, service, 53)] as const,
    [`a client of the NodePort on the node itself, ${family}`, keepAsking(n2, node, 30053)] as const,
    [`a host of the LAN, ${family}`, keepAsking(client, node, 30053)] as const,
  ]);
  const all = async (outcome: string, what: string, some = clients): Promise<void> => {
    await Promise.all(
      some.map(async ([name, one]) => {
        t.equal(await one.hears(outcome), null, `${name}: ${what}`);
      }),
    );
  };
  const write = (objects: readonly ApiObject[]): Promise<number> => publish(n1, objects, nodes, dual);
  await all('ECONNREFUSED', 'the client is refused before the service exists');
  await write(atFar);
  await all('far', 'the client is answered with the same socket after the service was created');
  await write(atNear);
  await all('near', 'the client is answered by the endpoint that replaced the first one');
  await write([]);
  await all('ECONNREFUSED', 'the client is refused without the service');
  await write(atFar);
  await all('far', 'the client is answered after the service was created again');
  for (const address of [n2.address, sixOf(n2)])
    t.equal(burst(client, address, 30053), 'far,far,far,far', 'datagrams that are sent at once are all answered');
  await write(servedBy('n1', n1.address, sixOf(n1)));
  await all('host', 'the client is answered by a process of a node that listens on the wildcard address');
  for (const [address, family] of [
    [n2.address, 'IPv4'],
    [sixOf(n2), 'IPv6'],
  ] as const) {
    const name = `a host of the LAN whose first requests wait for the MAC of the server, ${family}`;
    const answer = silence(n1, n1);
    const late = keepAsking(client, address, 30053);
    await late.hasSent(3);
    answer();
    t.equal(await late.hears('host'), null, `${name}: the client is answered with the same socket`);
    t.equal(burst(client, address, 30053), 'host,host,host,host', 'datagrams that are sent at once are all answered');
  }
  await all('host', 'the client is still answered after the gateway has resolved the MAC of the server again');
}
