// Hosts that are not pods in the network of pods: a VM behind a tap, a machine behind a NIC, and machines in VLANs
// behind a NIC. They have addresses of the cluster, and reach pods, services and outside hosts as pods do.
import t, { type Test } from 'tap';
import { macOf } from '../../agent/overlay/addresses.ts';
import { startDaemon } from './daemon.ts';
import { configure, dualStack, form } from './form.ts';
import { type Host, killProcess, missingForHosts, startLan, startVswitchd } from './hosts.ts';
import { ask, askUntil, attempt } from './one-request.ts';
import { oneOvn, type WhichOvn } from './ovn-of-nodes.ts';
import { pingScript } from './ping.ts';
import { connect, fullPacket, makeSwitch, portState, startMachine, startVm } from './port-guests.ts';
import { balance, type Pod, serve, startPod } from './services.ts';

const [macA, macB, macC] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;
const add = (name: string, nic: string, ...words: readonly string[]): readonly string[] => [
  ...['overlay', 'port', 'add', name, '--interface', nic],
  ...words,
];
const addVm = add('vm1', 'tap7', '--namespace', 'db', '--label', 'app=db');

t.test('hosts that are not pods', { skip: missingForHosts() ?? false }, (t) => joined(t, oneOvn()));

/** Waits until the daemon of a node has removed a port from br-int. */
function untilDetached({ must }: Host, nic: string): void {
  must('timeout', '60', 'sh', '-c', 'while ovs-vsctl list-ports br-int | grep -qx "$1"; do sleep 0.1; done', 'sh', nic);
}

async function joined(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const n1 = await lan.host('n1', 11);
  const n2 = await lan.host('n2', 12);
  const machines = await lan.host('machines', 60);
  for (const host of [n1, n2, machines]) {
    // The NIC's own IP stack does not answer, as below the kernel's data path.
    host.must('sysctl', '-qw', 'net.ipv4.conf.eth0.arp_ignore=8', 'net.ipv6.conf.eth0.disable_ipv6=1');
    configure(host, dualStack);
  }
  connect(n2, machines, 'eth5');
  form(t, [n1, n2]);
  t.match(n1.agent('overlay', 'gateway'), { status: 0 });
  const pods = [
    await startPod(n1, n1, '10.42.0.0/24', 'fd01::/64'),
    await startPod(n1, n2, '10.42.1.0/24', 'fd01:0:0:1::/64'),
  ] as const;
  balance(n1, 'web', 'tcp', { '10.43.0.80:80': '10.42.1.9:8080' });
  await serve(machines);
  makeSwitch(machines, 'eth5');
  const before = portState(n1, [n1, n2]);

  await t.test('refusals', (t) => refused(t, n1, n2, before));
  await t.test('a VM behind a tap', (t) => virtualMachine(t, [n1, n2, machines], pods, before));
  await t.test('machines in VLANs behind a NIC of another node', (t) => vlans(t, [n1, n2, machines], pods));
  await t.test('a machine behind a NIC', (t) => bareMetal(t, [n1, n2, machines], pods));
  t.match(n1.agent('overlay', 'verify'), { status: 0 });
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
  t.equal(portState(n1, [n1, n2]), before, 'nothing of the ports is left');
}

function refused(t: Test, n1: Host, n2: Host, before: string): void {
  n1.must('ip', 'link', 'add', 'spare', 'type', 'veth', 'peer', 'name', 'spare-peer');
  n1.must('ip', 'address', 'add', '198.51.100.1/24', 'dev', 'spare');
  n1.must('ip', 'link', 'set', 'spare', 'up');
  for (const [words, stderr] of [
    [add('vm1', 'eth0'), /eth0 cannot lead to hosts of the cluster: it is a port of br-ex/],
    [add('vm1', 'br-ex'), /br-ex cannot lead to hosts of the cluster: Open vSwitch, OVN or the kernel makes it/],
    [add('vm1', 'pod-n1'), /it is a port of br-int that another program has made/],
    [add('vm1', 'spare'), /spare cannot lead to hosts of the cluster: it has the address 198\.51\.100\.1\/24/],
    [add('vm1', 'tap7', '--address', '10.42.0.9'), /10\.42\.0\.9 is the address of pod-n1/],
  ] as const)
    t.match(n1.agent(...words), { status: 2, stderr }, words.slice(3).join(' '));
  t.match(n2.agent(...addVm), { status: 2, stderr: /not the central node/ });
  n1.must('ip', 'link', 'set', 'spare', 'down', 'mtu', '1300');
  n1.must('ip', 'address', 'flush', 'dev', 'spare');
  n1.must('ip', 'link', 'set', 'spare', 'up');
  t.match(n1.agent(...add('vm1', 'spare')), { status: 2, stderr: /its MTU is 1300/ });
  n1.must('ip', 'link', 'delete', 'spare');
  t.match(n1.agent('overlay', 'port', 'list'), {
    status: 0,
    stdout: 'The cluster has no ports for hosts that are not pods.\n',
  });
  t.equal(portState(n1, [n1, n2]), before, 'a refusal changes nothing');
  t.end();
}

/** Tests that a host and pods of both nodes reach each other with their own addresses, over every protocol. */
function bothWays(t: Test, host: Pod, others: readonly Pod[]): void {
  for (const other of others) {
    const ttl = Number(host.must('perl', '-e', pingScript, '--', other.address));
    t.equal(Number(other.must('perl', '-e', pingScript, '--', host.address)), ttl, `${host.address}: ping, ${ttl}`);
    for (const [own, remote] of [
      [host.address, other.address],
      [host.address6, other.address6],
    ] as const) {
      if (own === '') continue;
      for (const [protocol, port] of [
        ['tcp', 8080],
        ['udp', 8053],
      ] as const) {
        t.equal(ask(host, protocol, remote, port), own, `${remote} sees ${own} over ${protocol}`);
        t.equal(ask(other, protocol, own, port), remote, `${own} sees ${remote} over ${protocol}`);
      }
    }
  }
}

async function virtualMachine(
  t: Test,
  [n1, n2, machines]: readonly [Host, Host, Host],
  pods: readonly [Pod, Pod],
  before: string,
): Promise<void> {
  const early = n1.agent(...addVm);
  t.match(early, { status: 0, stdout: /^Done.*Left to do: tap7 does not exist on n1 yet/s }, 'before the VM runs');
  t.match(
    early.stdout,
    /MAC 0a:58:0a:2a:00:fe, address 10\.42\.0\.254\/24 and fd01::fe\/64, gateway 10\.42\.0\.1 and fd01::1, MTU 1442$/m,
  );
  t.match(n1.agent('overlay', 'port', 'list'), { stdout: /^vm1 +n1 +tap7 +db +app=db +not connected$/m });
  let vm = await startVm(n1, 'tap7', macOf('10.42.0.254'), '10.42.0.254', 'fd01::fe');
  t.match(n1.agent(...addVm), { status: 0 }, 'when the VM runs');
  t.match(n1.agent('overlay', 'port', 'list'), { stdout: /^vm1 +n1 +tap7 +db +app=db +connected$/m });
  t.match(n1.agent(...addVm), { status: 0, stdout: /^Nothing to do/ }, 'a second run writes nothing');
  t.match(n1.agent(...add('vm2', 'tap7')), { status: 2, stderr: /tap7 of n1 has the port vm1/ });
  bothWays(t, vm, pods);
  t.equal(ask(vm, 'tcp', '10.43.0.80', 80), vm.address, 'a service sees the VM');
  t.equal(ask(vm, 'tcp', machines.address, 8080), n1.address, 'an outside host sees the address of the gateway');
  vm.must('ip', 'link', 'set', 'guest', 'mtu', '1442');
  pods[1].must('ip', 'link', 'set', 'pod-n2', 'mtu', '1442');
  t.equal(fullPacket(vm, pods[1].address, 1442), vm.address, 'a packet of the stated MTU reaches the other node');
  t.equal(fullPacket(pods[1], vm.address, 1442), pods[1].address, 'and back');

  const to = n1.agent('overlay', 'trace', 'db/vm1@n1', 'pod-n2', '--tcp', '8080');
  t.match(to, { status: 0, stdout: /db_vm1@n1/ }, 'a trace begins at the port', to);
  const from = n1.agent('overlay', 'trace', 'pod-n2', 'db/vm1@n1', '--tcp', '8080', '--back');
  t.match(from, { status: 0, stdout: /db_vm1@n1/ }, 'a trace ends at the port', from);

  vm.must('ip', 'address', 'add', '10.42.0.253/24', 'dev', 'guest');
  vm.must('ip', 'address', 'add', '10.42.0.9/24', 'dev', 'guest');
  for (const own of ['10.42.0.253', '10.42.0.9'])
    t.equal(attempt(vm, pods[1].address, 8080, own), '', `the VM cannot use the address ${own}`);
  for (const own of ['10.42.0.253', '10.42.0.9']) vm.must('ip', 'address', 'delete', `${own}/24`, 'dev', 'guest');
  vm.must('ip', 'link', 'set', 'guest', 'address', '0a:58:0a:2a:00:01');
  t.equal(attempt(vm, pods[1].address), '', "the VM cannot use the router's MAC");
  vm.must('ip', 'link', 'set', 'guest', 'address', macOf('10.42.0.254'));
  t.equal(ask(vm, 'tcp', pods[1].address, 8080), vm.address);

  n1.must('ovn-nbctl', 'lsp-del', 'db_vm1@n1');
  t.match(n1.agent('overlay', 'verify'), { status: 3, stdout: /tap7 of n1 leads to the hosts of vm1/ });
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ }, 'a deleted row is restored');
  t.equal(askUntil(pods[1], vm.address, 8080, pods[1].address), pods[1].address);
  n1.must('ovs-vsctl', 'del-port', 'tap7');
  t.match(
    n1.agent('overlay', 'apply'),
    { status: 0, stdout: /^Done, 2 changes/ },
    'and so is a deleted port of br-int',
  );
  t.equal(askUntil(pods[1], vm.address, 8080, pods[1].address), pods[1].address);

  // In the userspace data path, Open vSwitch keeps the deleted tap, so the port has to be made again.
  vm.end();
  vm = await startVm(n1, 'tap7', macOf('10.42.0.254'), '10.42.0.254', 'fd01::fe');
  const former = /tap7 is not attached for db_vm1@n1: its port still has a former device of this name/;
  t.match(n1.agent('overlay', 'verify'), { status: 3, stdout: former }, 'a VM that has started again');
  for (const [changes, what] of [
    ['1 change', 'removes the port'],
    ['4 changes', 'adds the port'],
  ] as const)
    t.match(
      n1.agent('overlay', 'apply'),
      { status: 0, stdout: new RegExp(`^Done, ${changes}:`) },
      `without a daemon, apply ${what}`,
    );
  t.equal(askUntil(pods[1], vm.address, 8080, pods[1].address), pods[1].address);
  t.match(n1.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  const daemon = await startDaemon(n1);
  for (const nth of ['first', 'second']) {
    vm.end();
    vm = await startVm(n1, 'tap7', macOf('10.42.0.254'), '10.42.0.254', 'fd01::fe');
    const answer = askUntil(pods[1], vm.address, 8080, pods[1].address);
    t.equal(answer, pods[1].address, `the daemon connects the ${nth} VM that starts again`);
  }
  t.equal(await daemon.stop(), 0);

  t.match(n1.agent('overlay', 'port', 'remove', 'vm1'), { status: 0, stdout: /^Done.*vm1 is not a port/ });
  t.equal(attempt(pods[1], vm.address), '', 'the VM does not answer any more');
  t.match(n1.agent('overlay', 'port', 'remove', 'vm1'), { status: 0, stdout: /^Nothing to do/ });
  t.match(n1.must('ip', 'link', 'show', 'tap7'), /tap7/, 'the tap itself stays');
  vm.end();
  t.equal(portState(n1, [n1, n2]), before, 'nothing of the port is left');
}

async function vlans(
  t: Test,
  [n1, n2, machines]: readonly [Host, Host, Host],
  pods: readonly [Pod, Pod],
): Promise<void> {
  const words = ['--node', 'n2', '--vlan', '100', '--mac', `${macA},${macB}`, '--address', '10.42.1.100,10.42.1.101'];
  const waits = n1.agent(...add('line', 'eth5', ...words));
  t.match(waits, { status: 0, stdout: /Left to do: n2 has not attached eth5/ }, 'a node without a daemon', waits);
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /eth5/ });
  const daemon = await startDaemon(n2);
  t.match(
    n1.agent(...add('line', 'eth5', ...words)),
    { status: 0, stdout: /^Nothing to do/ },
    'its daemon attaches the NIC',
  );
  const other = n1.agent(...add('office', 'eth5', '--node', 'n2', '--vlan', '200', '--mac', macC));
  t.match(other, { status: 0, stdout: /10\.42\.1\.254\/24/ }, 'another VLAN', other);
  t.match(n1.agent(...add('more', 'eth5', '--node', 'n2', '--vlan', '300', '--mac', macC)), {
    status: 2,
    stderr: /52:54:00:00:00:0c is the MAC of default_office@n2 on n2/,
  });
  const six = (port: string): readonly string[] => {
    const { hosts } = JSON.parse(n1.agent('overlay', 'port', 'list', '--output', 'json').stdout).ports.find(
      ({ name }: { readonly name: string }) => name === port,
    ) as { readonly hosts: readonly { readonly addresses: readonly string[] }[] };
    return hosts.map(({ addresses }) => addresses[1]?.replace('/64', '') ?? '');
  };
  const a = await startMachine(machines, 'nic-a', 100, macA, '10.42.1.100', six('line')[0]);
  const b = await startMachine(machines, 'nic-b', 100, macB, '10.42.1.101', six('line')[1]);
  const c = await startMachine(machines, 'nic-c', 200, macC, '10.42.1.254', six('office')[0]);
  for (const machine of [a, b, c]) bothWays(t, machine, pods);
  bothWays(t, a, [b, c]);
  t.equal(ask(c, 'tcp', '10.43.0.80', 80), c.address, 'a service sees the machine');
  for (const [name, vlan, mac, address] of [
    ['nic-d', 100, '52:54:00:00:00:0d', '10.42.1.102'],
    ['nic-e', 300, macA, '10.42.1.100'],
    ['nic-f', null, macA, '10.42.1.100'],
    ['nic-g', 200, macA, '10.42.1.100'],
    ['nic-h', 200, '52:54:00:00:00:0d', '10.42.1.254'],
  ] as const) {
    const stranger = await startMachine(machines, name, vlan, mac, address);
    t.equal(attempt(stranger, pods[0].address), '', `${mac} with ${address} in VLAN ${vlan} reaches no pod`);
    machines.must('ovs-vsctl', 'del-port', name);
  }
  const trace = n1.agent('overlay', 'trace', 'default/office@n2', 'pod-n1', '--tcp', '8080', '--back');
  t.match(trace, { status: 0, stdout: /default_office@n2/ }, 'a trace begins in a VLAN', trace);
  const here = n2.agent('overlay', 'trace', 'pod-n1', '10.42.1.100', '--tcp', '8080');
  t.match(here, { status: 0, stdout: /default_line@n2/ }, 'and ends in one', here);

  n1.must('sh', '-c', 'kill -STOP $(cat /run/ovn/ovnsb_db.pid)');
  t.not(n2.agent('overlay', 'apply').status, 0, 'the central node does not answer');
  t.match(n2.must('ovs-vsctl', 'list-ports', 'br-int'), /^eth5$/m, 'the NIC stays attached');
  t.equal(ask(pods[1], 'tcp', a.address, 8080), pods[1].address);
  n1.must('sh', '-c', 'kill -CONT $(cat /run/ovn/ovnsb_db.pid)');
  for (const name of ['line', 'office'])
    t.match(n1.agent('overlay', 'port', 'remove', name), { status: 0, stdout: /^Done/ });
  untilDetached(n2, 'eth5');
  t.equal(await daemon.stop(), 0);
}

async function bareMetal(
  t: Test,
  [n1, n2, machines]: readonly [Host, Host, Host],
  pods: readonly [Pod, Pod],
): Promise<void> {
  const mac = '52:54:00:00:01:01';
  t.match(n1.agent(...add('press', 'eth5', '--node', 'n2', '--mac', mac, '--address', '10.42.1.77')), { status: 0 });
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done/ }, 'without a daemon, `apply` attaches the NIC');
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Nothing to do/ });
  const machine = await startMachine(machines, 'nic-m', null, mac, '10.42.1.77');
  bothWays(t, machine, pods);
  // The interface of a pod in a namespace ends with ovs-vswitchd, as it does not with the kernel's data path.
  killProcess(n2, '/run/openvswitch/ovs-vswitchd.pid');
  startVswitchd(n2);
  t.equal(askUntil(pods[0], machine.address, 8080, pods[0].address), pods[0].address, 'after a crash of ovs-vswitchd');
  n2.must('ip', 'address', 'add', '198.51.100.7/24', 'dev', 'eth5');
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.match(n2.must('ovs-vsctl', 'list-ports', 'br-int'), /^eth5$/m, 'an address does not detach the NIC');
  n2.must('ip', 'route', 'add', '203.0.113.0/24', 'via', '198.51.100.1');
  const detached =
    /eth5 is not attached for default_press@n2: the route of this node to 203\.0\.113\.0\/24 leads over it/;
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: detached }, 'a route through it does');
  n2.must('ip', 'address', 'flush', 'dev', 'eth5');
  t.match(n2.agent('overlay', 'apply'), { status: 0 });
  t.match(n2.agent('overlay', 'verify'), { status: 0 });
  t.match(n1.agent('overlay', 'port', 'remove', 'press'), { status: 0, stdout: /^Done/ });
  t.equal(attempt(pods[0], machine.address), '', 'the machine does not answer any more');
  t.match(n2.agent('overlay', 'apply'), { status: 0, stdout: /^Done, 1 change/ });
}
