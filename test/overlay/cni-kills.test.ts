// Crashes of each process at any time while a pod gets its interface: neither a port nor a link of the pod remains.
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { type CniCluster, startCniCluster } from './cni-cluster.ts';
import { type Daemon, startDaemon } from './daemon.ts';
import type { Host } from './hosts.ts';
import { cni, inPod, missingForPods, ofPods, removeNamespace } from './pods.ts';

const skip = missingForPods() ?? false;

/**
 * Returns a wrapper of a program that the plug-in starts. Before or after one call of the program, the wrapper kills
 * the plug-in with all of its children.
 */
const wrapper = (program: string): string => `#!/bin/sh
call=$(($(cat /run/calls) + 1))
echo $call > /run/calls
if [ "$(cat /run/kill)" = "$call before" ]; then kill -9 -$(cat /run/group); fi
/usr/bin/${program} "$@"
status=$?
if [ "$(cat /run/kill)" = "$call after" ]; then kill -9 -$(cat /run/group); fi
exit $status
`;
/** Number of calls of the wrapped programs during ADD: two by the daemon, and three in the pod's namespace. */
const calls = 5;

/** Command that starts the plug-in as a runtime does, as a group of processes that can be killed together. */
const inGroup = ['setsid', 'sh', '-c', 'echo $$ > /run/group; exec "$0"'];

function killAt(host: Host, point: string): void {
  host.write('/run/calls', '0');
  host.write('/run/kill', point);
}

/** Program that ends when no link has this name, and checks after each notification of the kernel (rtnetlink(7)). */
const untilGone = `
  socket(my $kernel, 16, 3, 0) or die $!;
  bind($kernel, pack('SSLL', 16, 0, 0, 1)) or die $!;
  while (system("ip link show $ARGV[0] > /dev/null 2>&1") == 0) { recv($kernel, my $news, 65536, 0); }
`;

t.test('one cluster', { skip }, async (t) => {
  const cluster = await startCniCluster(t);
  if (cluster === null) return;
  const daemons = [await startDaemon(cluster.hosts[0]), await startDaemon(cluster.hosts[1])] as const;
  await t.test('the plug-in is killed', (t) => plugInKilled(t, cluster));
  await t.test('the daemon is killed', (t) => daemonKilled(t, cluster, daemons[1]));
});

async function plugInKilled(t: Test, cluster: CniCluster): Promise<void> {
  const [, n2] = cluster.hosts;
  const programs = ['ovs-appctl', 'nsenter'].map((program) => `/usr/sbin/${program}`);
  for (const file of programs) {
    n2.write(file, wrapper(file.replace('/usr/sbin/', '')));
    n2.must('chmod', '755', file);
  }
  const none = { 'cni.dev/valid-attachments': [] };
  for (let call = 1; call <= calls; call += 1) {
    // Little happens between the end of a call and the next call, so the same remains are handled by both operations.
    for (const [moment, follower] of [
      ['before', 'DEL'],
      ['after', 'GC'],
    ] as const) {
      const { sandbox } = await cluster.pod(n2, `p${call}-${moment}`);
      killAt(n2, `${call} ${moment}`);
      t.match(await cni(n2, 'ADD', sandbox, {}, inGroup), { result: undefined }, `killed ${moment} call ${call}`);
      killAt(n2, '');
      if (follower === 'GC') removeNamespace(n2, sandbox);
      t.match(await cni(n2, follower, sandbox, follower === 'GC' ? none : {}), { status: 0 });
      t.strictSame(ofPods(n2), [], `${follower} leaves nothing`);
    }
  }
  const { sandbox } = await cluster.pod(n2, 'last');
  killAt(n2, '');
  t.match(await cni(n2, 'ADD', sandbox, {}, inGroup), { status: 0 }, 'ADD succeeds without a kill');
  t.equal(
    n2.must('cat', '/run/calls').trim(),
    String(calls),
    'the wrapped programs are called as often as the test assumes',
  );
  n2.must('rm', ...programs);
  t.match(await cni(n2, 'DEL', sandbox), { status: 0 });
}

async function daemonKilled(t: Test, cluster: CniCluster, running: Daemon): Promise<void> {
  const [, n2] = cluster.hosts;
  let daemon = running;
  const kill = async (): Promise<void> => {
    n2.must('kill', '-9', String(daemon.pid));
    await daemon.ended();
  };
  const killBoth = async (): Promise<void> => {
    n2.must('sh', '-c', `kill -9 ${daemon.pid} -$(cat /run/group)`);
    await daemon.ended();
  };
  const controller = (signal: string): void =>
    void n2.must('sh', '-c', `kill -${signal} $(cat /run/ovn/ovn-controller.pid)`);
  /** Starts ADD while ovn-controller is paused, and returns when ADD has created the port and waits for its flows. */
  const halfWay = async (name: string) => {
    const { sandbox } = await cluster.pod(n2, name);
    const link = sandbox.id.slice(0, 15);
    controller('STOP');
    const adding = cni(n2, 'ADD', sandbox, {}, inGroup);
    // `must` is not used, because it blocks this process, which has to forward connections meanwhile.
    const [status] = await once(
      n2.start('ovs-vsctl', '--timeout=60', 'wait-until', 'Interface', link, 'ofport>0'),
      'exit',
    );
    t.equal(status, 0);
    return { sandbox, link, adding };
  };

  // The pod requests an address of another subnet, which it never gets, so ADD waits.
  const early = (await cluster.pod(n2, 'unaddressed', { 'microshift-net/ip-address': '192.0.2.99' })).sandbox;
  const two = [cni(n2, 'ADD', early), cni(n2, 'ADD', early)];
  t.match(
    await Promise.race(two),
    { result: { code: 11, msg: /already/ } },
    'a second request for the same container is refused',
  );
  await kill();
  for (const answer of await Promise.all(two)) t.match(answer, { status: 1, result: { code: 11 } });
  t.strictSame(ofPods(n2), [], 'a kill while ADD waits for an address leaves nothing');

  daemon = await startDaemon(n2);
  const first = await halfWay('first');
  t.strictSame(ofPods(n2), [`link ${first.link}`, `port ${first.link}`]);
  const [eth0] = JSON.parse(inPod(n2, first.sandbox).must('ip', '-json', 'link', 'show', 'eth0'));
  t.notOk(eth0.flags.includes('UP'), 'the interface of the pod is down until its flows exist');
  await kill();
  t.match(
    await first.adding,
    { status: 1, result: { code: 11 } },
    'ADD fails if the daemon is killed while it waits for flows',
  );
  t.strictSame(ofPods(n2), [], 'the plug-in removes the link and the port');

  controller('CONT');
  daemon = await startDaemon(n2);
  const second = await halfWay('second');
  n2.must('sh', '-c', 'kill -9 -$(cat /run/group)');
  const [code] = await once(n2.start('perl', '-e', untilGone, second.link), 'exit');
  t.equal(code, 0);
  t.strictSame(ofPods(n2), [], 'the daemon removes the link and the port of a killed plug-in');

  controller('CONT');
  const third = await halfWay('third');
  await killBoth();
  t.match(
    await cni(n2, 'DEL', third.sandbox),
    { status: 0, result: undefined },
    'DEL succeeds after a kill of the plug-in and the daemon',
  );
  t.strictSame(ofPods(n2), [], 'DEL removes the link and the port without the daemon');

  controller('CONT');
  daemon = await startDaemon(n2);
  const fourth = await halfWay('fourth');
  await killBoth();
  removeNamespace(n2, fourth.sandbox);
  controller('CONT');
  daemon = await startDaemon(n2);
  t.strictSame(ofPods(n2), [], 'a new daemon removes a port whose device is gone');
  const fifth = await halfWay('fifth');
  const removing = cni(n2, 'DEL', fifth.sandbox);
  t.match(await removing, { status: 0, result: undefined }, 'DEL succeeds while ADD waits');
  t.match(await fifth.adding, { status: 1, result: { code: 11 } }, 'DEL ends the waiting ADD');
  t.strictSame(ofPods(n2), []);
}
