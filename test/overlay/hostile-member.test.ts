// Hostile member with a valid certificate: its rows do not harm other nodes, neither before nor after its removal.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t, { type Test } from 'tap';
import { macOf } from '../../agent/overlay/addresses.ts';
import { seededRandom } from '../unit/ovsdb/random.ts';
import { configure, form } from './form.ts';
import { openTables, randomWrite, readTargets } from './hostile-writes.ts';
import { type Ended, type Host, missingForHosts, program, startLan } from './hosts.ts';
import { askUntil } from './one-request.ts';
import { answerTo, outside, startOutside, startPod } from './outside.ts';
import { oneOvn, ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { pingScript } from './ping.ts';
import { startVm } from './port-guests.ts';
import { becomeAppliance, untilVteps } from './vtep-state.ts';

const reason = missingForHosts();
const id = 'n3-of-the-test';
/** Address of a VM of n2, and its logical port. */
const [vmAddress, vmPort] = ['10.42.1.254', 'default_vm1@n2'];

/** Address of an appliance in VXLAN. */
const applianceAddress = '10.60.0.5';

/** Hops that are left to a packet between pods of two nodes by a direct route; a tunnel leaves 63. */
const directTtl = '60';

/** Number of the random writes. */
const count = Number(process.env.HOSTILE_WRITES ?? 75);
/** Seed of the random writes; the second release gets other writes than the first, unless a run is repeated. */
const seedOf = (which: WhichOvn): number => Number(process.env.HOSTILE_SEED ?? (which === oneOvn() ? 1 : 2));

interface Bundle {
  readonly pem: { readonly key: string; readonly certificate: string; readonly authority: string };
}

/** Returns a function that runs ovn-sbctl(8) with a member's certificate, on a host without ovn-controller. */
function liarOn(host: Host, { pem }: Bundle): (...words: readonly string[]) => Ended {
  for (const [file, text] of [
    ['key', pem.key],
    ['certificate', pem.certificate],
    ['authority', pem.authority],
  ] as const)
    host.write(`/root/${file}`, text);
  const keys = ['-p', '/root/key', '-c', '/root/certificate', '-C', '/root/authority'];
  return (...words) => host.run(['ovn-sbctl', '--db=ssl:192.0.2.11:6642', '--no-leader-only', ...keys, ...words]);
}

/**
 * Lets a node announce that packets of another node arrive without a tunnel, as its daemon does, and brings it into the
 * desired state.
 */
function hear(host: Host, name: string): void {
  const place = ['Open_vSwitch', '.'] as const;
  const options = host
    .must('ovs-vsctl', 'get', ...place, 'external_ids:ovn-cms-options')
    .trim()
    .replaceAll('"', '');
  const all = `${options},microshift-net-direct:${name}`;
  host.must('ovs-vsctl', 'set', ...place, `external_ids:ovn-cms-options="${all}"`);
  host.agent('overlay', 'apply');
}

/** Makes a host an appliance in VXLAN that is a peer of the cluster; returns the host. */
async function joinAppliance(t: Test, host: Host, nodes: readonly [Host, Host]): Promise<Host> {
  const words = ['overlay', 'peer', 'add', 'f5', '--vtep', '192.0.2.60', '--subnet', '10.60.0.0/24'];
  t.match(nodes[0].agent(...words), { status: 0 });
  t.match(nodes[1].agent('overlay', 'apply'), { status: 0 });
  for (const node of nodes) untilVteps(node, true);
  becomeAppliance(nodes[0], host, applianceAddress);
  return host;
}

/** Registers a chassis with these columns, in the place of its previous registration. */
function register(write: ReturnType<typeof liarOn>, hostname: string, encap: string, options = ''): Ended {
  write('--if-exists', 'destroy', 'Chassis', id);
  return write(
    ...['--id=@end', 'create', 'Encap', `chassis_name=${id}`, ...encap.split(' '), '--'],
    ...[
      'create',
      'Chassis',
      `name=${id}`,
      `hostname=${hostname}`,
      'encaps=@end',
      `other_config:ovn-cms-options="${options}"`,
    ],
    'other_config:ovn-bridge-mappings="physnet:br-ex"',
  );
}

/** Asserts that a member does not accept another member as the central node. */
function poses(t: Test, liar: Host, member: Host): void {
  const files = ['--private-key=/root/key', '--certificate=/root/certificate', '--ca-cert=/root/authority'];
  const places = ['--unixctl=/root/posing.ctl', '--pidfile=/root/posing.pid', '--log-file=/root/posing.log'];
  liar.must('ovsdb-tool', 'create', '/root/posing.db', '/usr/share/ovn/ovn-sb.ovsschema');
  liar.must('ovsdb-server', '/root/posing.db', '--remote=pssl:6642', ...files, ...places, '--detach', '--no-chdir');
  const own = '/etc/microshift-net/pki/node.pem';
  const ask = (address: string): Ended =>
    member.run([
      'ovsdb-client',
      '-p',
      own,
      '-c',
      own,
      '-C',
      '/etc/microshift-net/pki/ca.crt',
      'list-dbs',
      `ssl:${address}:6642`,
    ]);
  t.match(ask('192.0.2.11'), { status: 0, stdout: /OVN_Southbound/ }, 'a member accepts the central node');
  t.match(ask('192.0.2.13'), { status: 1, stderr: /failed to connect/ }, 'a member is not the central node');
}

const announced = (address: string): string =>
  ['kind=shared', 'network=physnet', 'mac=52:54:00:00:00:99', `address=${address}`]
    .map((entry) => `microshift-net:${entry}`)
    .join();

if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`a member that lies, OVN: ${which}`, (t) => hostile(t, which));

async function hostile(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  await startOutside(lan);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  form(t, [n1, n2]);
  for (const host of [n1, n2]) {
    configure(host, { encapsulation: 'auto' });
    t.match(host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254'), { status: 0 });
  }
  const pod = startPod(n1, n2, '10.42.1.9');
  const neighbour = startPod(n1, n1, '10.42.0.9', 'pod1');
  hear(n2, 'n1');
  hear(n1, 'n2');
  // The command waits until n2 has attached the tap.
  const words = ['overlay', 'port', 'add', 'vm1', '--node', 'n2', '--interface', 'tap7', '--address', vmAddress];
  const added = once(n1.start(process.execPath, program, ...words), 'exit');
  n1.must('ovn-sbctl', '--timeout=60', 'wait-until', 'SB_Global', '.', 'external_ids:microshift-net-ports!=""');
  await startVm(n2, 'tap7', macOf(vmAddress), vmAddress);
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'n2 attaches the tap of a VM');
  t.strictSame(await added, [0, null], 'n1 adds the port');
  const appliance = which === 'newer' ? await joinAppliance(t, await lan.host('f5', 60), [n1, n2]) : null;
  const reached = (when: string): void => {
    t.equal(answerTo(n2, '10.42.1.9', ...pod), n2.address, `a pod reaches the distant host ${when}`);
    const ttl = n1.must(...neighbour, 'perl', '-e', pingScript, '--', '10.42.1.9');
    t.equal(ttl, directTtl, `pods of two nodes reach each other by a direct route ${when}`);
    t.equal(askUntil(n1, vmAddress, 8080, '10.42.0.2'), '10.42.0.2', `a node reaches the VM of n2 ${when}`);
    if (appliance === null) return;
    const ping = ['perl', '-e', pingScript, '--'];
    t.equal(n1.must(...neighbour, ...ping, applianceAddress), '63', `a pod reaches the appliance in VXLAN ${when}`);
    for (const address of ['10.42.0.9', '10.42.1.9'])
      t.equal(appliance.must(...ping, address), '63', `the appliance reaches the pod ${address} ${when}`);
  };
  reached('before');
  const rows = (): string =>
    ['Logical_Router_Policy', 'Logical_Router_Static_Route', 'NAT', 'Logical_Router']
      .map((table) => n1.must('ovn-nbctl', 'list', table))
      .join();
  const issued = n1.agent('overlay', 'pki', 'issue', 'n3', '--system-id', id);
  const write = liarOn(n3, JSON.parse(issued.stdout) as Bundle);
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  poses(t, n3, n2);
  const before = rows();

  const holds = (what: string, fault: RegExp): void => {
    // These commands read the registrations, whose columns are the same in each release.
    for (const command of which === oneOvn() ? ['plan', 'apply', 'nodes'] : [])
      t.match(n1.agent('overlay', command), { status: 0 }, `${what}: ${command} works`);
    const verified = n1.agent('overlay', 'verify');
    t.match(verified, { status: 3, stdout: /certificate n3-of-the-test/ }, `${what}: verify reports the member`);
    t.match(verified.stdout.replaceAll(/\s+/g, ' '), fault, what);
    t.equal(rows(), before, `${what}: no row of the routers has changed`);
  };
  const own = 'type=geneve ip="192.0.2.13"';
  t.match(register(write, 'n2', own), { status: 0 });
  holds('the name of another node', /registers under the name of n2/);
  t.match(register(write, 'n3', 'type=vxlan ip="192.0.2.12"'), { status: 0 });
  holds('the address of another node', /claims the tunnel address 192\.0\.2\.12 of n2-of-the-test/);
  t.match(register(write, 'n3', own, announced(`${outside}/32`)), { status: 0 });
  holds('the address of the distant host', /--gateway 198\.51\.100\.1/);
  const direct = ['microshift-net-direct', 'microshift-net-direct:n1', 'microshift-net-direct:n2'].join();
  t.match(register(write, 'n3', own, `${announced('192.0.2.12/24')},${direct}`), { status: 0 });
  holds('the next hop of a direct route', /n2 has 192\.0\.2\.12 already/);
  reached('with a member that claims its address');

  t.match(register(write, 'n3', own), { status: 0 });
  const seed = seedOf(which);
  await t.test(`random writes, HOSTILE_SEED=${seed} HOSTILE_WRITES=${count}`, async (t) =>
    randomWrites(t, [n1, n2, n3], seed),
  );
  reached('after random writes and the removal of their results by hand');

  const datapath = n1
    .must('ovn-sbctl', '--bare', '--columns=datapath', 'find', 'Port_Binding', 'logical_port=rtoe-GR_n1')
    .trim();
  const learn = (ip: string): Ended =>
    write(
      'create',
      'MAC_Binding',
      'logical_port=rtoe-GR_n1',
      `ip=${ip}`,
      'mac="52:54:00:00:00:99"',
      `datapath=${datapath}`,
    );
  // The address belongs to no host: for the address of the real router, OVN would learn the real MAC again.
  n1.must('ovn-sbctl', '--all', 'destroy', 'MAC_Binding');
  n1.must('ip', 'neigh', 'replace', '192.0.2.253', 'lladdr', '52:54:00:00:00:fe', 'dev', 'br-ex', 'nud', 'permanent');
  t.match(learn('192.0.2.253'), { status: 0 });
  const shown = n1.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' ');
  t.match(
    shown,
    /rtoe-GR_n1 has the MAC 52:54:00:00:00:99 for 192\.0\.2\.253, and the kernel of this node has 52:54:00:00:00:fe/,
  );
  n1.must('ovn-sbctl', '--all', 'destroy', 'MAC_Binding');
  n1.must('ip', 'neigh', 'delete', '192.0.2.253', 'dev', 'br-ex');

  t.notMatch(n1.agent('overlay', 'verify').stdout, /FDB/, 'OVN has learned no MAC of a pod');
  t.match(write('create', 'FDB', 'mac="0a:58:0a:2a:01:09"', 'dp_key=1', 'port_key=1'), { status: 0 });
  const reported = n1.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' ');
  t.match(reported, /FDB has 1 row, .*ovn-sbctl --all destroy FDB/);
  n1.must('ovn-sbctl', '--all', 'destroy', 'FDB');
  if (which === 'newer') learnsRoute(t, n1, write);
  t.match(register(write, 'n3', own), { status: 0 });
  joinsGroup(t, n1, write, which === 'newer');
  await claimsPort(t, [n1, n2, n3], write, which === 'newer');

  t.match(n1.agent('overlay', 'leave', '--node', 'n3'), { status: 0 });
  t.match(register(write, 'n2', 'type=vxlan ip="192.0.2.12"', announced(`${outside}/32`)), { status: 0 });
  for (const command of ['plan', 'apply', 'nodes'])
    t.match(n1.agent('overlay', command), { status: 0 }, `${command} works with a removed member that registers again`);
  t.match(n1.agent('overlay', 'verify'), {
    status: 3,
    stdout: /certificate n3-of-the-test is registered, but belongs to no\s+member/,
  });
  reached('with a removed member that registers again');
}

/** Program that sends a UDP packet to an address, its first argument, with a text, its second one. */
const datagram = "IO::Socket::INET->new(Proto => 'udp', PeerAddr => shift, PeerPort => 9)->send(shift) or die $!";

/** Result of a packet to an address: an answer, and a copy that came by a tunnel. */
type Sent = { readonly isAnswered: boolean; readonly isCopied: boolean };

/**
 * Listens on a host without ovn-controller for packets of tunnels. The returned function sends a packet from `from` to
 * an address, and repeats it with another text until the result is the expected one, for at most two minutes.
 */
async function listenForTunnels(on: Host, from: Host) {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    const heard = [];
    socket.on('message', (packet) => heard.push(packet.toString('latin1')));
    process.stdin.on('data', (text) => console.log(heard.some((one) => one.includes(String(text).trim()))));
    socket.bind(6081, () => console.log('ready'));`;
  const { stdin, stdout } = on.start(process.execPath, '-e', script);
  const lines = createInterface({ input: stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  await lines.next();
  let number = 0;
  const send = async (address: string): Promise<Sent> => {
    number += 1;
    const text = `marked ${number} of the test`;
    from.must('perl', '-MIO::Socket::INET', '-e', datagram, address, text);
    const isAnswered = from.run(['perl', '-e', pingScript, '--', '-w', '1', address]).status === 0;
    stdin?.write(`${text}\n`);
    return { isAnswered, isCopied: (await lines.next()).value === 'true' };
  };
  return async (address: string, wanted: Sent): Promise<Sent> => {
    const end = Date.now() + 120_000;
    for (;;) {
      const sent = await send(address);
      if (JSON.stringify(sent) === JSON.stringify(wanted) || Date.now() > end) return sent;
    }
  };
}

/** Tests that `verify` reports a row of IGMP_Group that a member writes: no switch of the overlay follows groups. */
function joinsGroup(t: Test, central: Host, write: ReturnType<typeof liarOn>, isNewer: boolean): void {
  const uuidOf = (...words: readonly string[]): string =>
    central.must('ovn-sbctl', '--bare', '--columns=_uuid', 'find', ...words).trim();
  const datapath = uuidOf('Datapath_Binding', 'external_ids:name=n2');
  const columns = ['address=239.1.1.1', `datapath=${datapath}`, `chassis=${uuidOf('Chassis', `name=${id}`)}`];
  const group = ['create', 'IGMP_Group', ...columns, ...(isNewer ? [`chassis_name=${id}`] : [])];
  t.notMatch(central.agent('overlay', 'verify').stdout, /IGMP_Group/, 'OVN has learned no group');
  t.match(write(...group), { status: 0 });
  const reported = central.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' ');
  t.match(reported, /IGMP_Group has 1 row, .*ovn-sbctl --all destroy IGMP_Group/);
  central.must('ovn-sbctl', '--all', 'destroy', 'IGMP_Group');
}

/**
 * Tests a member that claims ports of another node, which OVN permits: `verify` reports these ports as long as the
 * claim lasts.
 */
async function claimsPort(
  t: Test,
  [central, victim, host]: readonly [Host, Host, Host],
  write: ReturnType<typeof liarOn>,
  isNewer: boolean,
): Promise<void> {
  const address = '10.42.1.2';
  const fate = await listenForTunnels(host, central);
  const honest = { isAnswered: true, isCopied: false };
  t.strictSame(await fate(address, honest), honest, 'packets of n2 go to n2 alone');
  const reported = (): string => central.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' ');
  const uuidOf = (...words: readonly string[]): string =>
    central.must('ovn-sbctl', '--bare', '--columns=_uuid', 'find', ...words).trim();
  const [liar, own] = [id, 'n2-of-the-test'].map((name) => uuidOf('Chassis', `name=${name}`));
  const port = uuidOf('Port_Binding', 'logical_port=k8s-n2');
  const ofVm = uuidOf('Port_Binding', `logical_port=${vmPort}`);
  t.notMatch(reported(), /port (k8s-n2|default_vm1)/, 'no report names a claimed port');
  // A running ovn-controller claims its ports again at once.
  victim.must('ovn-appctl', '-t', 'ovn-controller', 'debug/pause');
  for (const one of [port, ofVm]) t.match(write('set', 'Port_Binding', one, `chassis=${liar}`), { status: 0 });
  const claimed = reported();
  for (const name of ['k8s-n2', vmPort])
    t.match(
      claimed,
      new RegExp(`port ${name} of n2 has chassis n3-of-the-test: .*ovn-sbctl clear Port_Binding \\S+ chassis`),
    );
  const way = uuidOf('Port_Binding', 'logical_port=cr-rtos-n2');
  t.match(write('set', 'Port_Binding', way, `chassis=${liar}`), { status: 0 });
  t.match(reported(), /port cr-rtos-n2 of n2 has chassis n3-of-the-test: /);
  const moved = { isAnswered: false, isCopied: true };
  t.strictSame(await fate(address, moved), moved, 'packets to the subnet of n2 go to the member');
  victim.must('ovn-appctl', '-t', 'ovn-controller', 'debug/resume');
  for (const one of [port, ofVm, way])
    central.must('ovn-sbctl', '--timeout=60', 'wait-until', 'Port_Binding', one, `chassis=${own}`);
  t.notMatch(reported(), /port (k8s-n2|cr-rtos-n2|default_vm1)/, 'n2 has claimed the ports again');
  t.strictSame(await fate(address, honest), honest, 'n2 gets its packets again');

  for (const one of [port, ofVm])
    t.match(write('set', 'Port_Binding', one, `additional_chassis=${liar}`), { status: 0 });
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  const doubled = reported();
  for (const name of ['k8s-n2', vmPort])
    t.match(doubled, new RegExp(`port ${name} of n2 has additional_chassis n3-of-the-test: `));
  const copied = { isAnswered: true, isCopied: true };
  t.strictSame(await fate(address, copied), copied, 'the member in additional_chassis gets a copy, and n2 the packet');
  for (const one of [port, ofVm]) central.must('ovn-sbctl', 'clear', 'Port_Binding', one, 'additional_chassis');
  t.notMatch(reported(), /port (k8s-n2|default_vm1)/);
  t.strictSame(await fate(address, honest), honest, 'no copy is sent after the command of the report');
  t.match(central.agent('overlay', 'verify'), { status: 0 });

  // ovn-northd of 23.03 writes the options again at once; with 26.03 they stay, and the node releases the port.
  for (const one of [port, ofVm])
    t.match(write('set', 'Port_Binding', one, 'options:requested-chassis=n3-of-the-test'), { status: 0 });
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  const optionsOf = (one: string): string => central.must('ovn-sbctl', 'get', 'Port_Binding', one, 'options').trim();
  t.equal(optionsOf(port), isNewer ? '{requested-chassis=n3-of-the-test}' : '{}');
  t.match(optionsOf(ofVm), isNewer ? 'requested-chassis=n3-of-the-test' : 'requested-chassis=n2-of-the-test');
  if (isNewer) {
    const requested = reported();
    for (const name of ['k8s-n2', vmPort])
      t.match(requested, new RegExp(`port ${name} of n2 has requested-chassis n3-of-the-test: `));
    const lost = { isAnswered: false, isCopied: false };
    t.strictSame(await fate(address, lost), lost, 'n2 has released the port');
    for (const one of [port, ofVm])
      central.must('ovn-sbctl', 'remove', 'Port_Binding', one, 'options', 'requested-chassis');
  }
  for (const one of [port, ofVm])
    central.must('ovn-sbctl', '--timeout=60', 'wait-until', 'Port_Binding', one, `chassis=${own}`);
  t.equal(askUntil(central, vmAddress, 8080, '10.42.0.2'), '10.42.0.2', 'n2 has the port of the VM again');
  t.strictSame(await fate(address, honest), honest, 'n2 has its port');

  const flows = (): string => central.must('ovn-sbctl', 'lflow-list');
  const before = flows();
  t.match(write('set', 'Port_Binding', port, 'up=false'), { status: 0 });
  central.must('ovn-nbctl', '--wait=hv', 'sync');
  t.equal(flows(), before, 'a port with up=false keeps its flows');
  t.match(central.agent('overlay', 'verify'), { status: 0 });
}

/**
 * Tests that packets follow a route that a member writes for the cluster's router, and that `verify` reports the route.
 */
function learnsRoute(t: Test, central: Host, write: ReturnType<typeof liarOn>): void {
  const [port = '', datapath = ''] = central
    .must('ovn-sbctl', '--bare', '--columns=_uuid,datapath', 'find', 'Port_Binding', 'logical_port=rtos-n1')
    .trim()
    .split(/\s+/);
  const to = ['ip_prefix=203.0.113.0/24', 'nexthop=10.42.0.9'];
  const route = ['create', 'Learned_Route', `logical_port=${port}`, `datapath=${datapath}`, ...to];
  t.match(write(...route), { status: 0 });
  central.must('ovn-nbctl', '--wait=sb', 'sync');
  t.match(central.must('ovn-sbctl', 'lflow-list'), /203\.0\.113\.0\/24/, 'packets follow the route');
  const reported = central.agent('overlay', 'verify').stdout.replaceAll(/\s+/g, ' ');
  t.match(reported, /Learned_Route has 1 row, .*ovn-sbctl --all destroy Learned_Route/);
  central.must('ovn-sbctl', '--all', 'destroy', 'Learned_Route');
  central.must('ovn-nbctl', '--wait=sb', 'sync');
  t.notMatch(central.must('ovn-sbctl', 'lflow-list'), /203\.0\.113\.0\/24/);
}

/**
 * Writes all rows that the member's certificate allows, while the test compares the rows, plans and reports of the
 * other nodes.
 */
function randomWrites(t: Test, [n1, n2, n3]: readonly [Host, Host, Host], seed: number): void {
  const words = [
    'n1',
    'n2',
    'n2-of-the-test',
    '192.0.2.12',
    '10.42.1.9',
    '0a:58:0a:2a:01:02',
    vmPort,
    'geneve',
    'physnet:br-ex',
  ];
  const targets = readTargets(n1, [
    ...words,
    announced(`${outside}/32`),
    'microshift-net-direct,microshift-net-direct:n1,microshift-net-direct:n2',
    'microshift-net-request:AAAA',
    '\u001b[2J',
    '',
  ]);
  const [northbound, others, attached] = [rowsIn(n1, 'nb'), rowsIn(n1, 'sb'), attachedTo(n2)];
  const random = seededRandom(seed);
  const writes = Array.from({ length: count }, () => randomWrite(targets, random));
  const lines = writes.map(({ operation }) => JSON.stringify(['OVN_Southbound', operation]));
  const client = 'ovsdb-client -t 30 -p /root/key -c /root/certificate -C /root/authority transact ssl:192.0.2.11:6642';
  const loop = `while IFS= read -r line; do ${client} "$line" 2>&1 | tr '\\n' ' '; echo; done`;
  const answers = n3
    .run(['sh', '-c', loop], `${lines.join('\n')}\n`)
    .stdout.trimEnd()
    .split('\n');
  t.equal(answers.length, count, 'each request has an answer');
  const taken = writes.filter((_, index) => !/"error"|"count":0|ovsdb-client:/.test(answers[index] ?? ''));
  t.ok(taken.length > 0, `${taken.length} of ${count} requests were accepted`);
  for (const { table, columns, operation } of taken) {
    const isNamed =
      openTables.includes(table) && (table !== 'Port_Binding' || columns.every((one) => openColumns.includes(one)));
    t.ok(isNamed, `docs/use/overlay-trust.md permits the accepted request: ${JSON.stringify(operation)}`);
  }
  // The plan may report the lies that stand at this moment, each with the name of the certificate.
  const noChange = /^(?:Nothing |There is nothing that `overlay apply` can change)/;
  t.match(n1.agent('overlay', 'plan'), { status: 0, stdout: noChange }, 'the central node plans no change');
  t.equal(rowsIn(n1, 'nb'), northbound, 'the northbound database is what it was');
  t.equal(
    rowsIn(n1, 'sb'),
    others,
    'rows of others in the southbound database are what they were, except in the tables that the docs name',
  );
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ }, 'n2 plans no change');
  t.equal(attachedTo(n2), attached, 'n2 has attached the same interfaces to br-int');
  const lied = n1
    .agent('overlay', 'verify')
    .stdout.split('\n')
    .filter((line) => /certificate \S+/.test(line));
  t.notOk(
    lied.some((line) => !line.includes('n3-of-the-test')),
    `no other node is blamed: ${lied.join()}`,
  );
  putBack(n1, targets);
}

/** Returns the ports of br-int for pods and for hosts that are not pods, with their logical ports. */
function attachedTo(host: Host): string {
  const names = host
    .must('ovs-vsctl', 'list-ports', 'br-int')
    .split('\n')
    .filter((name) => /^(tap|pod)/.test(name));
  return names.map((name) => host.must('ovs-vsctl', 'get', 'Interface', name, 'external_ids:iface-id')).join();
}

/**
 * Removes the registrations of the member and all rows that members may write, and restores the previous content of
 * ports, as an administrator can.
 */
function putBack(central: Host, { rows }: ReturnType<typeof readTargets>): void {
  const own = ['Chassis', 'Chassis_Private', 'Encap', 'Port_Binding'];
  const operations = [
    ...openTables
      .filter((table) => !own.includes(table) && table in rows)
      .map((table) => ({ op: 'delete', table, where: [] })),
    { op: 'delete', table: 'Chassis', where: [['name', '==', id]] },
    { op: 'delete', table: 'Chassis_Private', where: [['name', '==', id]] },
    ...(rows.Port_Binding ?? []).map((port) => {
      const row = Object.fromEntries(openColumns.flatMap((name) => (name in port ? [[name, port[name]]] : [])));
      return { op: 'update', table: 'Port_Binding', where: [['_uuid', '==', port._uuid]], row };
    }),
  ];
  const answer = central.must(
    'ovsdb-client',
    'transact',
    'unix:/run/ovn/ovnsb_db.sock',
    JSON.stringify(['OVN_Southbound', ...operations]),
  );
  if (answer.includes('"error"')) throw new Error(answer);
}

/** Columns of Port_Binding that OVN lets every member write (ovn-northd, rbac_port_binding_update). */
const openColumns = [
  'chassis',
  'additional_chassis',
  'encap',
  'additional_encap',
  'up',
  'virtual_parent',
  'options',
  'tag',
  'requested_chassis',
  'requested_additional_chassis',
  'port_security',
];

/**
 * Returns the rows of a database. Leaves out rows that members may write, except those in tables of the chassis, of
 * which only the rows of the hostile member are left out. Also leaves out the columns in which OVN's daemons report.
 */
function rowsIn(central: Host, which: 'nb' | 'sb'): string {
  const database = which === 'nb' ? 'OVN_Northbound' : 'OVN_Southbound';
  const dump = central.must('ovsdb-client', '-f', 'json', 'dump', `unix:/run/ovn/ovn${which}_db.sock`, database);
  const tables = dump
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { caption: string; headings: string[]; data: unknown[][] });
  const ofLiar = (row: unknown[]): boolean => JSON.stringify(row).includes(id);
  const own = ['Chassis', 'Encap', 'HA_Chassis'];
  const kept = tables.flatMap(({ caption, headings, data }) => {
    const name = caption.replace(/ table$/, '');
    if (which === 'sb' && derived.includes(name)) return [];
    if (which === 'sb' && openTables.includes(name) && !own.includes(name)) return [];
    const rows = data.filter((row) => !own.includes(name) || !ofLiar(row));
    // ovn-northd writes the features that all chassis have into these columns.
    const reported = /_Global$/.test(name) ? /^_version$|cfg|timestamp|^options$/ : /^_version$|^up$|^status$/;
    const columns = headings.map((_, index) => index).filter((index) => !reported.test(headings[index] ?? ''));
    return [
      `${name} ${rows
        .map((row) => JSON.stringify(columns.map((index) => row[index])))
        .toSorted()
        .join('\n')}`,
    ];
  });
  return kept.toSorted().join('\n');
}

/** Tables that ovn-northd derives from others, with its own order and numbers. */
const derived = ['Logical_Flow', 'Logical_DP_Group'];
