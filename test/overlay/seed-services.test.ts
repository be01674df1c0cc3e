// Services of a cluster that the commands of 2017 set up, in packets: packets to an address and port without a service
// stay inside of the cluster.
import t, { type Test } from 'tap';
import { type Host, missingForHosts, startCentral, startController, startLan } from './hosts.ts';
import { ask } from './one-request.ts';
import { ovnsHere, type WhichOvn } from './ovn-of-nodes.ts';
import { serve, startPod } from './services.ts';

const services = '10.96.0.0/16';
type Place = readonly [address: string, port: number];

/** Address and port of a service, another port at the same address, and an address without a service. */
const [served, otherPort, unserved] = [
  ['10.96.0.80', 80],
  ['10.96.0.80', 8080],
  ['10.96.0.81', 8080],
] as const satisfies readonly Place[];

const reason = missingForHosts();
if (reason !== null) t.plan(0, reason);
else for (const which of ovnsHere()) t.test(`OVN: ${which}`, (t) => onRelease(t, which));

/** Connects once; returns `answered`, the error code, or `no answer`. */
function outcome(from: Pick<Host, 'must'>, [address, port]: Place): string {
  const script = `
    const socket = require('net').connect(${port}, '${address}');
    socket.on('data', () => { console.log('answered'); process.exit(); });
    socket.on('error', ({ code }) => { console.log(code); process.exit(); });
    setTimeout(() => { console.log('no answer'); process.exit(); }, 30000);`;
  return from.must(process.execPath, '-e', script).trim();
}

/** Sends datagrams from one socket until one is answered or refused; returns the same words as outcome(). */
function datagramOutcome(from: Pick<Host, 'must'>, [address, port]: Place): string {
  const script = `
    const socket = require('dgram').createSocket('udp4');
    const end = (what) => { console.log(what); process.exit(); };
    socket.on('message', () => end('answered'));
    socket.on('error', ({ code }) => end(code));
    socket.connect(${port}, '${address}', () => { socket.send('?'); setInterval(() => socket.send('?'), 500); });
    setTimeout(() => end('no answer'), 30000);`;
  return from.must(process.execPath, '-e', script).trim();
}

async function onRelease(t: Test, which: WhichOvn): Promise<void> {
  const lan = await startLan(t, which);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  // The LAN's router has the whole range of services as its own addresses, so it answers every packet to a service that
  // leaves the cluster.
  const router = await lan.host('router', 254);
  router.must('ip', 'address', 'add', services, 'dev', 'lo');
  await serve(router);
  startCentral(n1);
  n1.must('ovn-nbctl', 'set-connection', 'ptcp:6641');
  n1.must('ovn-sbctl', 'set-connection', 'ptcp:6642');
  const init = (host: Host, command: string, ...words: readonly string[]): void => {
    const ended = host.run([
      ...['/usr/bin/ovn-k8s-overlay', command, '--cluster-ip-subnet=192.168.0.0/16', `--node-name=${host.name}`],
      ...words,
    ]);
    t.match(ended, { status: 0, stdout: 'Initialization complete.\n' }, `${command} on ${host.name}`);
  };
  for (const host of [n1, n2]) {
    host.must('ln', '-s', '/opt/program/microshift-net', '/usr/bin/ovn-k8s-overlay');
    host.must(
      ...['ovs-vsctl', 'set', 'Open_vSwitch', '.', `external_ids:system-id=${host.name}-of-the-test`],
      ...['external_ids:ovn-remote=tcp:192.0.2.11:6642', 'external_ids:ovn-nb=tcp:192.0.2.11:6641'],
      ...[`external_ids:ovn-encap-ip=${host.address}`, 'external_ids:ovn-encap-type=geneve'],
    );
    startController(host);
  }
  init(n1, 'master-init', '--master-switch-subnet=192.168.1.0/24', `--service-cluster-ip-range=${services}`);
  init(n2, 'minion-init', '--minion-switch-subnet=192.168.2.0/24');
  const gateway = ['--bridge-interface=br-ex', '--default-gw=192.0.2.254'];
  for (const host of [n1, n2]) init(host, 'gateway-init', ...gateway, `--physical-ip=${host.address}/24`);
  const [here, there] = [
    await startPod(n1, n1, '192.168.1.0/24', 'fd01::/64'),
    await startPod(n1, n2, '192.168.2.0/24', 'fd01:0:0:1::/64'),
  ];
  const balancer = n1.must(
    'ovn-nbctl',
    '--bare',
    '--columns=_uuid',
    'find',
    'Load_Balancer',
    'name=k8s-cluster-lb-tcp',
  );
  n1.must('ovn-nbctl', 'set', 'Load_Balancer', balancer.trim(), `vips:"10.96.0.80:80"="${there.address}:8080"`);
  n1.must('ovn-nbctl', '--wait=hv', 'sync');

  t.equal(outcome(there, unserved), 'answered', 'without the range of services the LAN answers');
  init(n2, 'minion-init', '--minion-switch-subnet=192.168.2.0/24', `--service-cluster-ip-range=${services}`);
  init(n2, 'gateway-init', ...gateway, `--physical-ip=${n2.address}/24`);
  init(n2, 'minion-init', '--minion-switch-subnet=192.168.2.0/24');
  n1.must('ovn-nbctl', '--wait=hv', 'sync');
  for (const [from, name] of [
    [here, 'a pod of n1'],
    [there, 'a pod of n2'],
    [n1, 'n1'],
    [n2, 'n2'],
  ] as const) {
    t.match(ask(from, 'tcp', ...served), /^192\.168\.|^10\.96\./, `${name} reaches a service`);
    for (const place of [otherPort, unserved]) {
      t.equal(outcome(from, place), 'ECONNREFUSED', `${place.join(':')} over TCP, from ${name}`);
      t.equal(datagramOutcome(from, place), 'ECONNREFUSED', `${place.join(':')} over UDP, from ${name}`);
    }
  }
  t.equal(outcome(there, ['192.0.2.254', 8080]), 'answered', 'the LAN itself is reached as before');
}
