// `overlay gateway` on real nodes: what has an address of the cluster reaches hosts outside of it, with the address of its way out.
import t from 'tap';
import { type Ended, type Host, type Lan, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { writesDuring } from './writes.ts';

const skip = missingForHosts() ?? false;

/** Far away, behind the LAN's router. */
const outside = '198.51.100.1';

/** What a node is in the cluster. */
const record = '/var/lib/microshift-net/overlay.json';

const databases = ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'] as const;

/** The LAN's router, which is the host far away at once, and knows no way to the cluster's subnets. */
async function startOutside(lan: Lan): Promise<Host> {
  const host = await lan.host('outside', 200, ['eth1']);
  host.must('ip', 'address', 'add', '192.0.2.254/24', 'dev', 'br-ex');
  host.must('ip', 'address', 'add', `${outside}/32`, 'dev', 'lo');
  const answer = `require('net').createServer((socket) => socket.end(socket.remoteAddress + '\\n')).listen(4001, '${outside}')`;
  host.start(process.execPath, '-e', answer);
  return host;
}

/** Connects from the node's address in the cluster, until it can; says the address that the host far away sees. */
const ask = `
const net = require('net');
const attempt = () => {
  const socket = net.connect({ port: 4001, host: process.argv[1], localAddress: process.argv[2] });
  socket.on('data', (data) => { process.stdout.write(data); process.exit(0); });
  socket.on('error', () => setTimeout(attempt, 100));
};
attempt();
`;

/** The address with which a node's packets arrive far away; they go by its interface in the cluster. */
function seenAs(host: Host, own: string): string {
  const router = own.replace(/\.2$/, '.1');
  host.must('ip', 'route', 'replace', outside, 'via', router, 'dev', 'ovn-k8s-mp0');
  return answerTo(host, own);
}

/** The address with which packets from an address of a node arrive far away. */
function answerTo(host: Host, own: string): string {
  const { stdout, stderr } = host.run([process.execPath, '-e', ask, outside, own]);
  return `${stdout}${stderr}`.trim();
}

/** What a node has of a way out. */
function state(host: Host): string {
  const rows = host.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids', 'other_config');
  const ports = ['br-ex', 'br-int'].map((bridge) => host.must('ovs-vsctl', 'list-ports', bridge)).join('');
  const recorded = host.must('cat', record);
  return `${rows}${host.must('ovs-vsctl', 'list-br')}${ports}${host.must('ip', '-o', 'address', 'show', 'scope', 'global')}${recorded}`;
}

/** What arrives at the address that node and gateway share goes to who has asked for it, by its mark in conntrack. */
function tellApart(host: Host): void {
  const ofport = (name: string): string => host.must('ovs-vsctl', 'get', 'Interface', name, 'ofport').trim();
  const [nic, way] = [ofport('eth0'), ofport(`patch-br-ex_${host.name}-to-br-int`)];
  const mac = host.must('cat', '/sys/class/net/br-ex/address').trim();
  const flows = [
    `priority=110,in_port=${way},ip,actions=ct(commit,zone=64000,exec(load:1->NXM_NX_CT_MARK[])),output:${nic}`,
    `priority=110,in_port=${nic},ip,ip_dst=${host.address},udp,udp_dst=6081,actions=LOCAL`,
    `priority=100,in_port=${nic},ip,ip_dst=${host.address},actions=ct(zone=64000,table=1)`,
    `priority=100,in_port=${nic},arp,dl_dst=${mac},actions=LOCAL,output:${way}`,
    `table=1,priority=100,ct_mark=1,ip,actions=output:${way}`,
    'table=1,priority=10,actions=LOCAL',
  ];
  for (const flow of flows) host.must('ovs-ofctl', 'add-flow', 'br-ex', flow);
}

/** The central node writes what is announced, and the node has taken it when this is over. */
function take(central: Host, host: Host, localnet: string): void {
  t.match(
    central.agent('overlay', 'apply'),
    { status: 0, stdout: /^Done, \d+ changes?/ },
    'the central node learns of it',
  );
  host.must('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', `patch-${localnet}-to-br-int`, 'type=patch');
}

/** A cluster of these nodes, the first of which is the central one. */
function form([central, ...others]: readonly [Host, ...Host[]]): void {
  startCentral(central);
  for (const host of [central, ...others]) startController(host);
  const made = ({ status, stderr }: Ended): void => {
    if (status !== 0) throw new Error(`there is no cluster: ${stderr}`);
  };
  made(central.agent('overlay', 'init'));
  for (const host of others) {
    const { stdout } = central.agent('overlay', 'pki', 'issue', host.name, '--system-id', `${host.name}-of-the-test`);
    made(host.agentWith(stdout, 'overlay', 'join', '-'));
  }
}

t.test('ways out over br-ex', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13, ['eth1'])];
  await startOutside(lan);
  form([n1, n2, n3]);
  const before = state(n2);

  const made = n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24');
  t.match(made, {
    status: 0,
    stdout:
      /^Done, 1 change: packets leave n2 by br-ex to 192\.0\.2\.254, as 192\.0\.2\.112\.\nLeft to do: the central node .*run there microshift-net overlay apply/,
  });
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /has not made n2 a way out yet/ });
  take(n1, n2, 'br-ex_n2');
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.112', 'n3 has none, and leaves by n2');

  t.match(n1.agent('overlay', 'gateway', '--address', '192.0.2.111/24'), {
    status: 0,
    stdout: /^Done, \d+ changes: packets leave n1 by br-ex to 192\.0\.2\.254, as 192\.0\.2\.111\.$/m,
  });
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.111', 'each leaves by itself');
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112');
  t.match(seenAs(n3, '10.42.2.2'), /^192\.0\.2\.11[12]$/, 'n3 by either');
  t.match(
    n1.agent('overlay', 'nodes').stdout,
    /n1 .* 192\.0\.2\.111 on br-ex .*\nn2 .* 192\.0\.2\.112 on br-ex .*\nn3 .* - /,
  );

  const again = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'gateway', '--address', '192.0.2.111/24'), { status: 0, stdout: /^Nothing to do/ });
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, [], 'nothing is written again on the central node');
  const onNode = await writesDuring(n2, ['Open_vSwitch'], () => {
    t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(onNode, [], 'nor on the other');

  const asked = ['--address', '192.0.2.111/24', '--subnets', '10.42.1.0/24,10.42.2.0/24'];
  t.match(n1.agent('overlay', 'gateway', ...asked), { status: 0 });
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.111', 'what n1 was asked for leaves there, n2 itself too');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.111');
  t.match(n1.agent('overlay', 'gateway', '--remove'), { status: 0, stdout: /n1 is no way out/ });
  t.equal(seenAs(n2, '10.42.1.2'), '192.0.2.112', 'and without n1 as before');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.112');

  n2.must(
    'ovs-vsctl',
    'set',
    'Open_vSwitch',
    '.',
    'external_ids:ovn-cms-options="enable-chassis-as-gw,microshift-net:kind=dedicated"',
  );
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.match(
    n2.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids:ovn-cms-options'),
    /^"enable-chassis-as-gw,microshift-net:kind=dedicated,microshift-net:network=physnet,/,
    'what others announce stays',
  );
  n2.must('ovs-vsctl', 'set', 'Open_vSwitch', '.', 'external_ids:ovn-cms-options=enable-chassis-as-gw');
  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-cms-options');
  t.equal(state(n2), before, 'nothing of it is left on n2');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /GR_/, 'nor on the central node');

  t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.112/24'), { status: 0 });
  take(n1, n2, 'br-ex_n2');
  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  t.equal(n2.must('ovs-vsctl', 'list-ports', 'br-ex'), 'eth0\n', 'leaving takes it out of br-ex');

  t.match(n1.agent('overlay', 'gateway'), { status: 0, stdout: /by br-ex to 192\.0\.2\.254, as 192\.0\.2\.11\./ });
  tellApart(n1);
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.11', "the node's own address");
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.11');
  n1.must('ip', 'route', 'delete', outside);
  t.equal(answerTo(n1, '192.0.2.11'), '192.0.2.11', 'which the node has still itself');

  n3.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  const untouched = state(n3);
  n1.must('sh', '-c', 'kill -9 $(cat /run/ovn/ovnsb_db.pid)');
  t.match(n3.agent('overlay', 'gateway', '--interface', 'eth1', '--next-hop', '203.0.113.1'), {
    status: 5,
    stderr: /taking everything back/,
  });
  t.equal(state(n3), untouched, 'what cannot be proved is taken back');
});

t.test('a way out by a NIC of its own, in a VLAN', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12, ['eth1'])];
  const far = await startOutside(lan);
  far.must('ovs-vsctl', 'add-br', 'br-far', '--', 'set', 'bridge', 'br-far', 'datapath_type=netdev');
  far.must('ovs-vsctl', 'add-port', 'br-far', 'eth1');
  far.must('ovs-vsctl', 'add-port', 'br-far', 'vlan7', 'tag=7', '--', 'set', 'interface', 'vlan7', 'type=internal');
  far.must('ip', 'address', 'add', '203.0.113.1/24', 'dev', 'vlan7');
  far.must('ip', 'link', 'set', 'vlan7', 'up');
  form([n1, n2]);
  n2.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  const before = state(n2);

  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['--interface', 'eth9'], /there is no interface eth9; write one of: .*eth0, eth1/],
    [['--interface', 'br-ex'], /a default route of this node leads over it/],
    [['--interface', 'eth0', '--address', '203.0.113.9/24', '--next-hop', '203.0.113.1'], /port eth0 is in br-ex/],
    [['--interface', 'eth1'], /nothing leads further from eth1/],
    [
      ['--interface', 'eth1', '--address', '203.0.113.8/24'],
      /eth1 has 203\.0\.113\.9\/24, at which nobody would answer/,
    ],
    [['--bridge', 'br-none'], /no bridge br-none/],
    [['--vlan', '7'], /192\.0\.2\.12\/24 of br-ex is not in VLAN 7/],
    [['--address', '10.42.7.7/24'], /within 10\.42\.0\.0\/16 of the cluster/],
    [['--subnets', '10.99.0.0/24'], /10\.99\.0\.0\/24 is not in 10\.42\.0\.0\/16/],
    [['--interface', 'eth1', '--bridge', 'br-ex'], /two ways out/],
  ];
  for (const [words, message] of refusals)
    t.match(n2.agent('overlay', 'gateway', ...words), { status: 2, stderr: message }, words.join(' '));
  t.equal(state(n2), before, 'a node that was refused is as before');

  const own = ['--interface', 'eth1', '--next-hop', '203.0.113.1', '--vlan', '7'];
  t.match(n2.agent('overlay', 'gateway', ...own), {
    status: 0,
    stdout: /packets leave n2 by br-gweth1 in VLAN 7 to 203\.0\.113\.1, as 203\.0\.113\.9\./,
  });
  t.notMatch(n2.must('ip', '-o', 'address', 'show', 'dev', 'eth1'), /203\.0\.113/, 'the address is the gateway now');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  for (const [host, address] of [
    [n1, '10.42.0.2'],
    [n2, '10.42.1.2'],
  ] as const)
    t.equal(seenAs(host, address), '203.0.113.9', `${host.name} leaves by it`);
  n2.must('ip', 'address', 'add', '203.0.113.9/24', 'dev', 'eth1');
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /ip address delete 203\.0\.113\.9\/24 dev eth1/ });
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  const again = await writesDuring(n2, ['Open_vSwitch'], () => {
    t.match(n2.agent('overlay', 'gateway', ...own), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, [], 'nothing is written again');

  n2.must('cp', record, '/tmp/wanted.json');
  const made = state(n2);
  t.match(n2.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.equal(state(n2), before, 'the NIC has its address again, and nothing of the way out is left');
  // As if the command had died as soon as it had written what is wanted.
  n2.must('cp', '/tmp/wanted.json', record);
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.equal(state(n2), made, 'what was begun is completed');
  n2.must('ip', 'link', 'delete', 'eth1');
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'the NIC is pulled out');
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /there is no eth1, by which packets would leave/ });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /GR_n2/, 'the cluster knows');
  lan.plug(n2, 'eth1');
  t.match(n2.agent('overlay', 'apply'), { status: 0 }, 'and back in');
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.equal(seenAs(n1, '10.42.0.2'), '203.0.113.9');
  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  t.match(n2.must('ip', '-o', 'address', 'show', 'dev', 'eth1'), /203\.0\.113\.9/, 'leaving gives it back, too');
  t.notMatch(n2.must('ovs-vsctl', 'list-br'), /br-gw/);
  t.notMatch(
    n2.must('ovs-vsctl', 'get', 'Open_vSwitch', '.', 'external_ids'),
    /ovn-(bridge-mappings|cms-options)|owner/,
  );
});

t.test('an address that moves between two nodes', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2, n3] = [await lan.host('n1', 11), await lan.host('n2', 12), await lan.host('n3', 13)];
  await startOutside(lan);
  form([n1, n2, n3]);
  const vip = ['--address', '192.0.2.100/24', '--high-availability', 'vip'];
  t.match(n2.agent('overlay', 'gateway', '--high-availability', 'vip'), { status: 2, stderr: /say it with --address/ });
  t.match(n2.agent('overlay', 'gateway', '--address', '192.0.2.12/24', '--high-availability', 'vip'), {
    status: 2,
    stderr: /is this node's own and cannot move/,
  });
  for (const host of [n2, n3]) {
    t.match(host.agent('overlay', 'gateway', ...vip), { status: 0, stdout: /as 192\.0\.2\.100/ });
    take(n1, host, 'physnet_ext_vip_192.0.2.100');
    t.match(host.agent('overlay', 'verify'), { status: 0 });
  }
  const holder = (host: Host): string => {
    const chassis = n1.must(
      'ovn-sbctl',
      '--bare',
      '--columns=_uuid',
      'find',
      'Chassis',
      `name=${host.name}-of-the-test`,
    );
    return n1.must(
      'ovn-sbctl',
      '--timeout=60',
      'wait-until',
      'Port_Binding',
      'cr-rtoe-vip_192.0.2.100',
      `chassis=${chassis.trim()}`,
    );
  };
  holder(n2);
  for (const [host, own] of [
    [n1, '10.42.0.2'],
    [n2, '10.42.1.2'],
    [n3, '10.42.2.2'],
  ] as const)
    t.equal(seenAs(host, own), '192.0.2.100', `${host.name} leaves by it`);
  const again = await writesDuring(n1, databases, () => {
    t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  });
  t.strictSame(again, []);

  n2.must(
    'sh',
    '-c',
    'kill -9 $(cat /run/openvswitch/ovs-vswitchd.pid /run/ovn/ovn-controller.pid /run/openvswitch/ovn-controller.pid 2>/dev/null)',
  );
  holder(n3);
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.100', 'n2 has died, and n3 has its address');
  t.equal(seenAs(n3, '10.42.2.2'), '192.0.2.100');

  t.match(n1.agent('overlay', 'leave', '--node', 'n2'), { status: 0 });
  t.equal(seenAs(n1, '10.42.0.2'), '192.0.2.100', 'n2 is out of the cluster');
  t.match(n3.agent('overlay', 'gateway', '--remove'), { status: 0 });
  t.match(n1.agent('overlay', 'apply'), { status: 0 });
  t.notMatch(n1.must('ovn-nbctl', 'show'), /vip/, 'nothing of it is left');
  t.equal(n1.must('ovn-nbctl', 'lr-nat-list', 'ovn_cluster_router'), '');
});
