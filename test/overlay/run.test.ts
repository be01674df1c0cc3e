// `overlay run` on real nodes: the daemon restores lost and changed parts, and writes nothing while it is idle.
import { once } from 'node:events';
import t from 'tap';
import { type Awaited, openCentralDatabase } from '../../agent/drivers/ovn/database.ts';
import { flowCookie } from '../../agent/overlay/services/shared-bridge-flows.ts';
import { asWanted, type Daemon, startDaemon } from './daemon.ts';
import { writesDuring } from './database-writes.ts';
import { form } from './form.ts';
import {
  type Host,
  killProcess,
  missingForHosts,
  startCentral,
  startController,
  startLan,
  startSwitchDatabase,
  startVswitchd,
} from './hosts.ts';
import { talk } from './talk.ts';

const skip = missingForHosts() ?? false;

/** Takes the lock (agent/run/lock.ts) for another run. Returns its file; removing the file releases the lock. */
async function holdLock(host: Host): Promise<string> {
  const words = 'set -- $(cat /proc/$$/stat); shift 21; f=/run/microshift-net/lock/$$.$1.long.probe';
  const script = `${words}; : > $f; echo $f; exec sleep infinity`;
  const { stdout } = host.start('sh', '-c', script);
  if (stdout === null) throw new Error('the process has no output to read');
  const [file] = await once(stdout, 'data');
  return String(file).trim();
}

/** Waits until the southbound database has a row; returns false if it does not appear within a minute. */
async function registered(central: Host, row: Awaited): Promise<boolean> {
  const database = await openCentralDatabase('OVN_Southbound', [central.path('/run/ovn')]);
  return (await database?.appears(row, 60_000).finally(() => database.close())) === true;
}

/** Kills the central node's databases and ovn-northd, and removes the files of the databases. */
function loseDatabases({ must }: Host): void {
  for (const name of ['ovn-northd', 'ovnnb_db', 'ovnsb_db']) killProcess({ must }, `/run/ovn/${name}.pid`);
  must('sh', '-c', 'rm -rf /var/lib/ovn/* /run/ovn/*_db.*');
}

t.test('a daemon keeps a node in its desired state', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  startCentral(n1);
  for (const host of [n1, n2]) startController(host);
  t.match(n1.agent('overlay', 'run'), { status: 2, stderr: /this node is not in an overlay/ });
  t.match(n1.agent('overlay', 'init'), { status: 0 });
  const bundle = n1.agent('overlay', 'pki', 'issue', 'n2', '--system-id', 'n2-of-the-test').stdout;
  t.match(n2.agentWith(bundle, 'overlay', 'join', '-'), { status: 0 });
  const [central, member] = [await startDaemon(n1), await startDaemon(n2)];
  t.match(n1.agent('overlay', 'run'), { status: 1, stderr: /runs already, process \d+/ }, 'a second daemon is refused');
  for (const host of [n1, n2])
    t.match(host.agent('overlay', 'status').stdout, /runs since .*its last check found nothing that it could repair/);
  t.match(n1.agent('overlay', 'status').stdout, /Objects of Kubernetes: not followed/, 'without a kubeconfig');
  t.match(
    n2.agent('overlay', 'status').stdout,
    /Central node: ssl:192\.0\.2\.11:6642\nMembership: the central node has a port for n2\nTunnels:\n.* geneve to 192\.0\.2\.11/,
  );

  // A report may be older than the change, so the loop also runs `overlay plan`, which names the parts that do not work
  // yet, such as a tunnel.
  const mended = async (host: Host, daemon: Daemon, what: string): Promise<void> => {
    do await daemon.reportedOrLater(asWanted);
    while (!host.agent('overlay', 'plan').stdout.startsWith('Nothing '));
    t.pass(what);
  };
  n2.must('ip', 'address', 'flush', 'dev', 'ovn-k8s-mp0');
  await mended(n2, member, 'the daemon restores the address of the interface');
  const advertisements = 'net.ipv6.conf.ovn-k8s-mp0.accept_ra';
  const ignoresAdvertisements = (host: Host, when: string): void => {
    t.equal(host.must('sysctl', '-n', advertisements), '0\n', `router advertisements of pods are ignored ${when}`);
  };
  for (const host of [n1, n2]) ignoresAdvertisements(host, 'from the start');
  n2.must('sysctl', '-qw', `${advertisements}=1`);
  t.match(n2.agent('overlay', 'verify'), { status: 3, stdout: /sysctl -w net\/ipv6\/conf\/ovn-k8s-mp0\/accept_ra=0/ });
  n2.must('ip', 'link', 'set', 'ovn-k8s-mp0', 'down');
  await mended(n2, member, 'the interface is up again');
  ignoresAdvertisements(n2, 'again');
  n2.must('ip', 'route', 'flush', 'dev', 'ovn-k8s-mp0');
  await mended(n2, member, 'the routes of the interface are restored');
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-encap-ip');
  await mended(n2, member, 'a key of Open vSwitch is restored');
  n2.must('ovs-vsctl', 'remove', 'Bridge', 'br-int', 'other_config', 'hwaddr');
  await mended(n2, member, 'a setting of br-int is restored');
  n2.must('ovs-vsctl', 'del-port', 'ovn-k8s-mp0');
  await mended(n2, member, 'a port is restored');
  ignoresAdvertisements(n2, 'on the new interface');
  n1.must('ovn-nbctl', 'ls-del', 'n2');
  await mended(n1, central, 'a row of the cluster is restored');
  n1.must('ovn-sbctl', 'del-connection');
  await mended(n1, central, 'the listener is restored');

  killProcess(n2, '/run/openvswitch/ovs-vswitchd.pid');
  startVswitchd(n2);
  await mended(n2, member, 'the daemon repairs the node after a restart of ovs-vswitchd');
  ignoresAdvertisements(n2, 'after a restart of ovs-vswitchd');
  killProcess(n2, '/run/openvswitch/ovsdb-server.pid');
  startSwitchDatabase(n2);
  n2.must('ip', 'address', 'flush', 'dev', 'ovn-k8s-mp0');
  await mended(n2, member, 'the daemon repairs the node after a restart of the database');
  n2.must('ovs-vsctl', 'remove', 'Open_vSwitch', '.', 'external_ids', 'ovn-encap-ip');
  await mended(n2, member, 'the daemon follows the database again');

  const held = await holdLock(n2);
  n2.must('ip', 'address', 'flush', 'dev', 'ovn-k8s-mp0');
  t.match(n2.agent('overlay', 'apply'), { status: 1, stderr: /another run is in progress: `microshift-net probe`/ });
  t.notMatch(
    n2.must('ip', 'address', 'show', 'dev', 'ovn-k8s-mp0'),
    /10\.42\.1\.2/,
    'no repair is made while another run has the lock',
  );
  n2.must('rm', held);
  await mended(n2, member, 'the daemon repairs the node when the lock is free');

  const idle = await writesDuring(n1, ['OVN_Northbound', 'OVN_Southbound', 'Open_vSwitch'], async () => {
    n1.must('ip', 'link', 'add', 'dummy0', 'type', 'bridge');
    n1.must('ovs-vsctl', 'add-br', 'br-of-others');
    // When this row is restored, the daemon has handled all earlier changes.
    n1.must('ip', 'address', 'flush', 'dev', 'ovn-k8s-mp0');
    await mended(n1, central, 'an address is restored without a write to a database');
  });
  t.strictSame(idle, ['Open_vSwitch'], 'the only write is the bridge of the other program');

  t.equal(await central.stop(), 0, 'the daemon ends when it is stopped');
  t.equal(await member.stop(), 0);
  t.match(n1.agent('overlay', 'status').stdout, /not running/);
  t.strictSame(n1.must('ls', '/run/microshift-net/lock'), '', 'the daemon leaves no lock');
});

t.test('nodes move, and the databases are lost', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  let central = await startDaemon(n1);
  const member = await startDaemon(n2);

  const move = (host: Host, from: string, to: string): void => {
    host.must('ip', 'address', 'delete', `${from}/24`, 'dev', 'br-ex');
    host.must('ip', 'address', 'add', `${to}/24`, 'dev', 'br-ex');
    host.must('ip', 'route', 'replace', 'default', 'via', '192.0.2.254');
  };
  move(n2, '192.0.2.12', '192.0.2.22');
  await member.reported(asWanted);
  t.ok(
    await registered(n1, { table: 'Encap', where: [['ip', '==', '192.0.2.22']] }),
    'the encapsulation registers again',
  );
  t.match(
    n1.agent('overlay', 'nodes').stdout,
    /^n2 .* 192\.0\.2\.22 /m,
    'the central node shows the new address of n2',
  );
  t.match(await (await talk(n1, n2, '10.42.1.2')).say('to n2'), 'to n2', 'a connection uses the new tunnel');

  loseDatabases(n1);
  startCentral(n1);
  await central.reported(asWanted);
  // ovn-controller waits between its attempts to connect, so either node can be the last one.
  for (const name of ['n1-of-the-test', 'n2-of-the-test'])
    t.ok(await registered(n1, { table: 'Chassis', where: [['name', '==', name]] }), `${name} registers again`);
  const { status, stdout } = n1.agent('overlay', 'verify');
  t.equal(status, 0, 'the databases are written again', { stdout });
  t.match(n1.agent('overlay', 'nodes').stdout, /^n2 +joined /m);

  t.equal(await central.stop(), 0);
  loseDatabases(n1);
  // Status of a daemon on a node whose databases are missing, and which has no systemd that would start them.
  central = await startDaemon(n1, /^READY=1 STATUS=the D-Bus system bus .* cannot be reached/);
  t.match(n1.agent('overlay', 'status').stdout, /runs since .*; since .*: the D-Bus system bus/);
  startCentral(n1);
  await central.reported(asWanted);
  n1.must('ovn-nbctl', 'ls-del', 'n2');
  await central.reported(asWanted);
  // ovn-controller waits between its attempts to connect, so it connects some seconds after the daemon.
  const isAsWanted = (): boolean => n1.agent('overlay', 'plan').stdout.startsWith('Nothing ');
  while (!isAsWanted()) await central.reportedOrLater(asWanted);
  t.ok(isAsWanted(), 'the daemon follows databases that are started after it');

  move(n1, '192.0.2.11', '192.0.2.21');
  await central.reported(asWanted);
  t.match(
    n1.must('ovn-sbctl', 'get-connection'),
    /pssl:6642:192\.0\.2\.21/,
    'the central node listens at its new address',
  );
  const renewed = n1.agent('overlay', 'pki', 'renew', 'n2').stdout;
  t.match(
    n2.agentWith(renewed, 'overlay', 'join', '-'),
    { status: 0 },
    'n2 gets the new address of the central node by a new bundle',
  );
  t.match(n2.agent('overlay', 'verify'), { status: 0 });

  t.match(n2.agent('overlay', 'leave'), { status: 0 });
  t.equal(await member.ended(), 0, 'the daemon of a node that has left ends');
});

t.test('a gateway that does not answer is left out until it does', { skip }, async (t) => {
  const lan = await startLan(t);
  const [n1, n2] = [await lan.host('n1', 11), await lan.host('n2', 12)];
  form(t, [n1, n2]);
  const [central, member] = [await startDaemon(n1), await startDaemon(n2)];
  for (const host of [n1, n2]) {
    const made = host.agent('overlay', 'gateway', '--next-hop', '192.0.2.254');
    t.match(made, { status: 0, stdout: /packets leave/ });
    t.notMatch(made.stdout, /Left to do/, 'the daemon of the central node has written its rows');
  }
  const defaultRoutes = (): string =>
    n1.must('ovn-nbctl', '--bare', '--columns=nexthop', 'find', 'Logical_Router_Static_Route', 'ip_prefix="0.0.0.0/0"');
  const both =
    defaultRoutes()
      .match(/100\.64\.0\.[23]/g)
      ?.toSorted() ?? [];
  t.strictSame(both, ['100.64.0.2', '100.64.0.3']);

  n2.must('sh', '-c', 'kill -STOP $(cat /run/ovn/ovn-controller.pid)');
  // An earlier report of the daemon may arrive first, so the loop waits for the change of the routes.
  while (defaultRoutes().includes('100.64.0.3')) await central.reportedOrLater(asWanted);
  t.notMatch(defaultRoutes(), /100\.64\.0\.3/, 'no default route uses the silent gateway');
  t.match(defaultRoutes(), /100\.64\.0\.2/, 'all packets leave by the other gateway');
  t.match(n1.agent('overlay', 'apply'), { stdout: /^Nothing to do/ }, 'other commands plan the same routes');
  n2.must('sh', '-c', 'kill -CONT $(cat /run/ovn/ovn-controller.pid)');
  while (!defaultRoutes().includes('100.64.0.3')) await central.reportedOrLater(asWanted);
  t.match(defaultRoutes(), /100\.64\.0\.3/, 'the gateway answers, and a default route uses it again');

  const flows = (): number =>
    n2.run(['ovs-ofctl', 'dump-flows', 'br-ex', `cookie=${flowCookie}/-1`]).stdout.match(/actions=/g)?.length ?? 0;
  const reported = flows();
  t.ok(reported > 0, 'flows separate node and gateway on their bridge');
  killProcess(n2, '/run/openvswitch/ovs-vswitchd.pid');
  startVswitchd(n2);
  while (flows() < reported) await member.reportedOrLater(asWanted);
  t.equal(flows(), reported, 'the flows return after a crash of ovs-vswitchd');

  const number = (): string => n2.must('ovs-vsctl', 'get', 'Interface', 'eth0', 'ofport').trim();
  const before = number();
  n2.must('ovs-vsctl', 'del-port', 'br-ex', 'eth0');
  n2.must('ovs-vsctl', 'add-port', 'br-ex', 'eth0');
  t.not(number(), before, 'a NIC that is put in again has another number');
  const ofNic = (): boolean => {
    const dump = n2.must('ovs-ofctl', 'dump-flows', 'br-ex', `cookie=${flowCookie}/-1`);
    return dump.includes(`in_port=${number()},`) || dump.includes('in_port=eth0,');
  };
  while (!ofNic()) await member.reportedOrLater(asWanted);
  t.ok(ofNic(), 'the flows of the NIC exist');

  for (const daemon of [central, member]) t.equal(await daemon.stop(), 0);
});
