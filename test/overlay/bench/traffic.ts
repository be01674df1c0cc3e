// B7 and B8: losses of running traffic while the daemon and the central OVN are killed and started again, and the
// duration of a trace.
//   node build/test/overlay/bench/traffic.js
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import { startCniCluster } from '../cni-cluster.ts';
import { type Daemon, startAsUnit } from '../daemon.ts';
import { type Host, missingForHosts, startCentral } from '../hosts.ts';
import { cni, inPod } from '../pods.ts';
import { quantile } from './quantile.ts';

/** Program that returns everything it receives, over TCP and UDP. */
const server = `
require('net').createServer((socket) => socket.on('error', () => {}).pipe(socket)).listen(7, '::', () => {
  const socket = require('dgram').createSocket('udp4');
  socket.on('message', (text, { address, port }) => socket.send(text, port, address));
  socket.bind(7, () => console.log('ready'));
});
`;
/**
 * Program that sends a datagram and a line of one connection every 20 ms until it is stopped, and then prints the
 * answers.
 */
const client = `
const address = process.argv[1];
const seen = new Set();
let sent = 0, received = '', expected = '', broken = false;
const udp = require('dgram').createSocket('udp4').on('message', (text) => seen.add(String(text)));
const tcp = require('net').connect(7, address).setNoDelay();
tcp.on('data', (text) => { received += text; }).on('error', () => { broken = true; }).on('close', () => { broken = true; });
const end = () => {
  console.log(JSON.stringify({ sent, lost: sent - seen.size, broken: broken || received !== expected }));
  process.exit();
};
tcp.once('connect', () => {
  const timer = setInterval(() => {
    sent += 1;
    udp.send(String(sent), 7, address);
    expected += sent + '\\n';
    tcp.write(sent + '\\n');
  }, 20);
  console.log('ready');
  process.stdin.once('data', () => { clearInterval(timer); setTimeout(end, 3000); });
});
`;

interface Outcome {
  readonly sent: number;
  readonly lost: number;
  readonly broken: boolean;
}

const crashes = (host: Host, file: string): void =>
  void host.must('sh', '-c', 'kill -9 "$(cat "$1")"; pidwait -F "$1" || true', 'sh', file);

t.test('traffic', { skip: missingForHosts() ?? false }, async (t) => {
  const cluster = await startCniCluster(t);
  if (cluster === null) return;
  const [n1, n2] = cluster.hosts;
  const daemons = new Map<Host, Daemon>([
    [n1, await startAsUnit(n1)],
    [n2, await startAsUnit(n2)],
  ]);
  const restart = async (host: Host): Promise<void> => {
    const daemon = daemons.get(host);
    if (daemon === undefined) throw new Error(`no daemon on ${host.name}`);
    host.must('kill', '-9', String(daemon.pid));
    await daemon.ended();
    daemons.set(host, await startAsUnit(host));
  };
  const plugged = async (host: Host, name: string) => {
    const { sandbox } = await cluster.pod(host, name);
    const { status, result } = await cni(host, 'ADD', sandbox);
    if (status !== 0) throw new Error(JSON.stringify(result));
    const inside = inPod(host, sandbox);
    // The kernel has to compute checksums itself, because the userspace data path needs complete ones.
    inside.run(['ethtool', '-K', 'eth0', 'tx', 'off']);
    return { inside, address: String(result.ips[0].address).replace(/\/.*/, '') };
  };
  const [from, to] = [await plugged(n1, 'from'), await plugged(n2, 'to')];
  await line(to.inside.start(process.execPath, '-e', server));

  const during = async (what: string, work: () => Promise<void>): Promise<void> => {
    const asking = from.inside.start(process.execPath, '-e', client, to.address);
    const lines = linesOf(asking);
    await lines.next();
    await work();
    asking.stdin?.write('end\n');
    const { value } = await lines.next();
    const { sent, lost, broken } = JSON.parse(value) as Outcome;
    t.comment(`${what}: ${lost} of ${sent} datagrams lost, the connection ${broken ? 'broke' : 'went on'}`);
    t.match({ lost, broken }, { lost: 0, broken: false }, what);
  };
  await during('the daemon of the central node is killed', () => restart(n1));
  await during('the daemon of the other node is killed', () => restart(n2));
  await during('ovn-northd and both databases are killed', async () => {
    for (const name of ['ovn-northd', 'ovnnb_db', 'ovnsb_db']) crashes(n1, `/run/ovn/${name}.pid`);
    startCentral(n1);
    n1.must('ovn-nbctl', '--timeout=60', '--wait=sb', 'sync');
  });

  const times = Array.from({ length: 5 }, () => {
    const start = performance.now();
    const { status, stderr } = n1.agent('overlay', 'trace', 'default/from', 'default/to', '--back');
    if (status !== 0) throw new Error(stderr);
    return performance.now() - start;
  });
  t.comment(`a trace from pod to pod and back: ${Math.round(quantile(times, 0.5))} ms, median of ${times.length}`);
  t.comment(`load of this machine: ${spawnSync('cat', ['/proc/loadavg'], { encoding: 'utf8' }).stdout.trim()}`);
});

function linesOf({ stdout }: ChildProcess): AsyncIterator<string, string> {
  if (stdout === null) throw new Error('the process has no output to read');
  return createInterface({ input: stdout })[Symbol.asyncIterator]() as AsyncIterator<string, string>;
}

async function line({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error('the process has no output to read');
  await once(stdout, 'data');
}
