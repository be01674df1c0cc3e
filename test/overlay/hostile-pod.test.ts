// A hostile pod sends frames that its port must not forward, and frames of its own that must do no harm. The test
// observes other pods, the nodes and a host of the LAN. HOSTILE_SEED repeats a run, and HOSTILE_FRAMES makes it longer.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { eui64Identifier } from '../../agent/net/address.ts';
import { macOf } from '../../agent/overlay/addresses.ts';
import { hasProgram } from '../cluster/binaries.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { sandboxId } from './cni-cluster.ts';
import { startDaemon } from './daemon.ts';
import { configure, dualStack, form } from './form.ts';
import {
  type HostileFrame,
  honestDatagram,
  hostileFrame,
  marker,
  type Neighbourhood,
  type Party,
} from './hostile-frames.ts';
import { type Host, program, startLan } from './hosts.ts';
import { startOutside } from './outside.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { cni, inPod, installShim, makeSandbox, missingForPods } from './pods.ts';
import { offerApi } from './relay.ts';
import { serveApi } from './served-api.ts';
import { podOn } from './stored-api.ts';
import { talk } from './talk.ts';

const skip = missingForPods() ?? (hasProgram('nft', '--version') ? false : 'nft is missing');
const count = Number(process.env.HOSTILE_FRAMES ?? 600);
const seed = Number(process.env.HOSTILE_SEED ?? 1);

/** Limit of all waits, far beyond the need of a busy machine. */
const limitMs = 60_000;
/**
 * Time after which an honest datagram is sent again, because the first ones may be lost while neighbours are resolved.
 */
const againMs = 500;

/** Numbers of the honest datagrams before and after the hostile frames. */
const [first, last] = [0xfffe, 0xffff];

type Inside = Pick<Host, 'run' | 'start' | 'must'>;

/**
 * Program that sends frames, one line of hexadecimal digits each, by the interface with this index; the kernel refuses
 * some (packet(7)).
 */
const sender = `
  use Socket;
  socket(my $s, 17, SOCK_RAW, unpack('S', pack('n', 3))) or die $!;
  bind($s, pack('S n i S C C a8', 17, 3, $ARGV[0], 0, 0, 0, '')) or die $!;
  while (<STDIN>) { chomp; send($s, pack('H*', $_), 0); }
`;

/** Program that prints the number after the marker of each frame that passes these interfaces. */
const listener = `
  use Socket; $| = 1;
  my ($mark, @indexes) = @ARGV;
  my (%sockets, $ready); $ready = '';
  for (@indexes) {
    socket(my $s, 17, SOCK_RAW, unpack('S', pack('n', 3))) or die $!;
    bind($s, pack('S n i S C C a8', 17, 3, $_, 0, 0, 0, '')) or die $!;
    vec($ready, fileno($s), 1) = 1; $sockets{fileno($s)} = $s;
  }
  print "ready\\n";
  while (select(my $now = $ready, undef, undef, undef)) {
    for (keys %sockets) {
      next unless vec($now, $_, 1) && recv($sockets{$_}, my $got, 9000, 0);
      print hex($1), "\\n" if unpack('H*', $got) =~ /$mark(....)/;
    }
  }
`;

/**
 * Program that prints the number after the marker of each datagram that the kernel passes to a process at port 53, from
 * any interface.
 */
const receiver = `
  const socket = require('dgram').createSocket('udp6');
  socket.on('message', (got) => {
    const at = got.indexOf('${marker}');
    if (at >= 0) console.log(got.readUInt16BE(at + ${marker.length}));
  });
  socket.bind(53, '::', () => console.log('ready'));
`;

/**
 * Program that ends as soon as duplicate address detection has ended for each IPv6 address of a network namespace. When
 * the detection for an address ends, the kernel adds the local route of the address (RFC 4862, section 5.4;
 * rtnetlink(7), RTMGRP_IPV6_IFADDR).
 */
const detection = `
  use Socket;
  alarm(${limitMs / 1_000});
  socket(my $kernel, 16, SOCK_RAW, 0) or die $!;
  bind($kernel, pack('S S L L', 16, 0, 0, 0x100)) or die $!;
  while (\`ip -6 address show tentative\`) { recv($kernel, my $news, 65536, 0); }
`;

/** Place at which the test looks for frames of the hostile pod. */
interface Observer {
  readonly title: string;
  readonly seen: ReadonlySet<number>;
  /** Settles as soon as the frame with this number has been seen; `again` is called until then. */
  until(number: number, again: () => void): Promise<void>;
}

const indexOf = (host: Inside, nic: string): string => host.must('cat', `/sys/class/net/${nic}/ifindex`).trim();

function observe(title: string, host: Inside, nics: readonly string[]): Promise<Observer> {
  const indexes = nics.map((nic) => indexOf(host, nic));
  return follow(title, host.start('perl', '-e', listener, marker.toString('hex'), ...indexes));
}

const receive = (title: string, host: Inside): Promise<Observer> =>
  follow(title, host.start(process.execPath, '-e', receiver));

async function follow(title: string, child: ChildProcess): Promise<Observer> {
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const seen = new Set<number>();
  await new Promise((resolve) => lines.once('line', resolve));
  lines.on('line', (line) => seen.add(Number(line)));
  const until = async (number: number, again: () => void): Promise<void> => {
    const endMs = performance.now() + limitMs;
    while (!seen.has(number)) {
      if (performance.now() > endMs) throw new Error(`${title} has not seen frame ${number}`);
      again();
      await new Promise<void>((resolve) => {
        const late = setTimeout(done, againMs);
        function done(): void {
          clearTimeout(late);
          lines.off('line', look);
          resolve();
        }
        const look = (): void => void (seen.has(number) && done());
        lines.on('line', look);
        look();
      });
    }
  };
  return { title, seen, until };
}

/** Returns an interface as other hosts see it; reads the IPv6 addresses of `nic` from the kernel. */
function partyOf(inside: Inside, nic: string, mac: string, address: string): Party {
  const linkLocal = `fe80${eui64Identifier(mac)}`;
  const listed = JSON.parse(inside.must('ip', '-json', '-6', 'address', 'show', 'dev', nic, 'scope', 'global'));
  return { mac, address, address6: listed[0]?.addr_info?.[0]?.local ?? linkLocal, linkLocal };
}

const macIn = (inside: Inside, nic: string): string => {
  const [link] = JSON.parse(inside.must('ip', '-json', 'link', 'show', 'dev', nic));
  return link.address as string;
};

/** Returns the neighbours that have a MAC, as `<interface> <address> <MAC>`. */
function neighboursOf(inside: Inside): readonly string[] {
  const list = JSON.parse(inside.must('ip', '-json', 'neigh', 'show')) as readonly Record<string, string>[];
  return list.flatMap(({ dev, dst, lladdr }) => (lladdr === undefined ? [] : [`${dev} ${dst} ${lladdr}`]));
}

/** Returns the addresses and routes of a network namespace, without times. */
function networkOf(inside: Inside): string {
  const routes = ['-4', '-6'].map((family) => inside.must('ip', family, 'route', 'show', 'table', 'all'));
  return `${inside.must('ip', '-o', 'address', 'show').replaceAll(/\\.*/g, '')}${routes.join('').replaceAll(/ expires \d+sec/g, '')}`;
}

/** Returns the rows of the southbound database that OVN learns from packets. */
function learnedOf(central: Host): readonly string[] {
  return [
    ['MAC_Binding', 'logical_port,ip,mac'],
    ['FDB', 'mac,port_key'],
    ['IGMP_Group', 'address,ports'],
    ['Port_Binding', 'logical_port,chassis,up'],
    ['Controller_Event', 'event_type'],
  ].flatMap(([table = '', columns = '']) => {
    const rows = JSON.parse(central.must('ovn-sbctl', '--format=json', `--columns=${columns}`, 'list', table));
    return (rows.data as readonly unknown[]).map((row) => `${table} ${JSON.stringify(row)}`);
  });
}

function northboundOf(central: Host): string {
  const dump = central.must('ovsdb-client', '-f', 'list', 'dump', 'unix:/run/ovn/ovnnb_db.sock', 'OVN_Northbound');
  return dump.replaceAll(/^(\w*_cfg\w*|_version|.*timestamp\w*) *:.*$/gm, '');
}

/** Returns the MACs that a bridge has learned. */
function macsOf(host: Host): readonly string[] {
  return [...new Set(host.must('ovs-appctl', 'fdb/show', 'br-ex').match(/([0-9a-f]{2}:){5}[0-9a-f]{2}/g))];
}

const daemons = ['/run/openvswitch/ovs-vswitchd.pid', '/run/ovn/ovn-controller.pid', '/run/ovn/ovn-northd.pid'];
/**
 * Returns the PIDs of the daemons of Open vSwitch and OVN, and the connection of ovn-controller to the southbound
 * database with its port.
 */
function daemonsOf(host: Host): string {
  const alive = daemons.map((file) => host.run(['sh', '-c', `pid=$(cat ${file}) && kill -0 $pid && echo $pid`]).stdout);
  const connections = host.must('ss', '-Htnp', 'state', 'established', 'dst', ':6642').split('\n');
  const own = connections.filter((line) => line.includes('ovn-controller'));
  return `${alive.join()}${own.map((line) => line.match(/\S+:\d+ +\S+:6642/)?.[0]).join()}`;
}

t.test(`a hostile pod, HOSTILE_SEED=${seed} HOSTILE_FRAMES=${count}`, { skip }, async (t) => {
  for (const which of ovnsHere()) await t.test(`OVN: ${which}`, (t) => hostile(t, which));
});

async function hostile(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  const router = await startOutside(lan);
  const client = await lan.host('client', 50);
  for (const host of [n1, n2, client, router]) {
    // These settings keep the kernel from answering ARP and neighbour discovery on the NIC. With the kernel's data
    // path, the kernel does not answer on a NIC that is a port.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    // Kernel setting without a distribution's change: sources are not checked.
    host.must('sysctl', '-qw', ...['all', 'default', 'br-ex'].map((one) => `net.ipv4.conf.${one}.rp_filter=0`));
    if (host === router) continue;
    configure(host, dualStack);
    host.must('ip', 'address', 'add', `2001:db8::${host.address.split('.')[3]}/64`, 'dev', 'br-ex', 'nodad');
  }
  for (const host of [n1, n2]) installShim(host);
  form(t, [n1, n2], { n2: ['--gateway', '2001:db8::12'] });
  for (const host of [n1, n2])
    t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254,2001:db8::fe'), { status: 0 });
  const api = await serveApi(t);
  await offerApi(t, { port: api.port, kubeconfig: () => api.kubeconfig }, [n1, n2], dualStack);
  for (const host of [n1, n2]) await startDaemon(host);
  const startPod = async (host: Host, name: string) => {
    const pod = podOn(host.name, name);
    api.put('pods', pod);
    const sandbox = makeSandbox(host, sandboxId(), { namespace: 'default', name, uid: pod.metadata.uid });
    const { status, result } = await cni(host, 'ADD', sandbox);
    t.equal(status, 0, `pod ${name}`);
    const net = inPod(host, sandbox);
    return { net, ...partyOf(net, 'eth0', macIn(net, 'eth0'), result.ips[0].address.replace('/24', '') as string) };
  };
  const [mallory, victim, far] = [
    await startPod(n2, 'mallory'),
    await startPod(n2, 'victim'),
    await startPod(n1, 'far'),
  ];

  const managed = [n1, n2].map((host, index) =>
    partyOf(host, 'ovn-k8s-mp0', macIn(host, 'ovn-k8s-mp0'), `10.42.${index}.2`),
  );
  const outer = [n1, n2, client, router].map((host) => partyOf(host, 'br-ex', macIn(host, 'br-ex'), host.address));
  const routerMac = macOf('10.42.1.1');
  const at: Neighbourhood = {
    own: mallory,
    router: {
      mac: routerMac,
      address: '10.42.1.1',
      address6: 'fd01:0:0:1::1',
      linkLocal: `fe80${eui64Identifier(routerMac)}`,
    },
    others: [victim, far, ...managed, ...outer],
    nodes: [n1.address, n2.address, '10.42.0.2', '10.42.1.2', client.address],
    nodes6: ['2001:db8::11', '2001:db8::12', 'fd01::2', 'fd01:0:0:1::2', '2001:db8::50'],
  };
  const send = (frames: readonly Buffer[]): void => {
    const input = frames.map((bytes) => `${bytes.toString('hex')}\n`).join('');
    const { status, stderr } = mallory.net.run(['perl', '-e', sender, indexOf(mallory.net, 'eth0')], input);
    if (status !== 0) throw new Error(stderr);
  };

  const observers: readonly (readonly [Observer, { mac: string; address: string }])[] = [
    [await observe('a pod of the same node', victim.net, ['eth0']), victim],
    [await observe('a pod of another node', far.net, ['eth0']), { mac: routerMac, address: far.address }],
    [await observe('n2', n2, ['ovn-k8s-mp0', 'br-ex']), { mac: routerMac, address: n2.address }],
    [await receive('a process of n2', n2), { mac: routerMac, address: n2.address }],
    [await observe('n1', n1, ['ovn-k8s-mp0', 'br-ex']), { mac: routerMac, address: n1.address }],
    [await receive('a process of n1', n1), { mac: routerMac, address: n1.address }],
    [await observe('a host of the LAN', client, ['br-ex']), { mac: routerMac, address: client.address }],
  ];
  const reached = async (number: number): Promise<void> => {
    for (const [observer, to] of observers) await observer.until(number, () => send([honestDatagram(at, to, number)]));
  };
  const talks = [
    ['pods of others', await talk(far.net, victim.net, victim.address)],
    ['pods of others by IPv6', await talk(victim.net, far.net, far.address6)],
    ['a pod and a node', await talk(victim.net, n1, n1.address)],
    ['a host of the LAN and the node', await talk(client, n2, n2.address)],
  ] as const;
  const goOn = async (when: string): Promise<void> => {
    for (const [title, { say }] of talks)
      t.equal(await say(when), when, `the connection of ${title} continues ${when}`);
  };
  await reached(first);
  await goOn('before');

  const places: readonly (readonly [string, Inside])[] = [
    ...([
      ['victim', victim.net],
      ['far', far.net],
      ['n1', n1],
      ['n2', n2],
      ['client', client],
      ['the router', router],
    ] as const),
  ];
  const state = () => ({
    networks: places.map(([title, inside]) => `${title}\n${networkOf(inside)}`),
    northbound: northboundOf(n1),
    daemons: [n1, n2].map(daemonsOf),
  });
  /** Returns the entries that packets may add, in each place; all added entries belong to the hostile pod. */
  const learned = () => [
    ...places.flatMap(([title, inside]) => neighboursOf(inside).map((entry) => `${title}: ${entry}`)),
    ...[n1, n2, client].flatMap((host) => macsOf(host).map((mac) => `${host.name}: br-ex has learned ${mac}`)),
    ...learnedOf(n1),
  ];
  for (const [, inside] of places) inside.must('perl', '-e', detection);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  const [before, known] = [state(), new Set(learned())];

  mallory.net.must('ip', 'link', 'set', 'eth0', 'mtu', '9000');
  const random = seededRandom(seed);
  const frames: readonly HostileFrame[] = Array.from({ length: count }, (_, number) =>
    hostileFrame(at, number, random),
  );
  send(frames.map(({ bytes }) => bytes));
  await reached(last);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');

  for (const [{ title, seen }] of observers) {
    const arrived = frames.flatMap((one, number) =>
      one.isForged && seen.has(number) ? [`${number}: ${one.title}`] : [],
    );
    t.strictSame(arrived, [], `${title} receives none of the forged frames`);
  }
  const sane = observers.filter(([{ seen }]) => frames.some(({ isForged }, number) => !isForged && seen.has(number)));
  t.ok(sane.length > 1, 'permitted frames of the hostile pod arrive');
  t.strictSame(state(), before, 'addresses, routes, rows and daemons are as before');
  const nextHop = { ...partyOf(router, 'br-ex', macIn(router, 'br-ex'), router.address), address: '192.0.2.254' };
  const parties: readonly Party[] = [mallory, at.router, ...at.others, nextHop];
  const isTrue = (entry: string): boolean => {
    const words = entry.split(/[\s",[\]]+/);
    return parties.some(({ mac, address, address6, linkLocal }) => {
      const isNamed = [address, address6, linkLocal].some((one) => words.includes(one));
      return words.includes(mac) && (isNamed || words.includes('learned'));
    });
  };
  t.strictSame(
    learned().filter((entry) => !known.has(entry) && !isTrue(entry)),
    [],
    'every learned entry belongs to the hostile pod',
  );
  await goOn('after');
  // The command reads objects from the API server of this process, so this process must not block.
  t.strictSame(await once(n1.start(process.execPath, program, 'overlay', 'verify'), 'exit'), [0, null], 'no drift');
}
